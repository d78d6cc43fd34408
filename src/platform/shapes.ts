import type { operations as Contract } from './contract.ts';
import type { OperationId } from './operations.ts';

type Json<T> = T extends { content: { 'application/json': infer Content } } ? Content : undefined;

/** The body that a request takes: required or optional as in the contract, or none. */
type Body<T extends { requestBody?: unknown }> = {
  readonly [Key in keyof Pick<T, 'requestBody'> as 'body']: Json<T[Key]>;
};

/**
 * Path, query and body of an operation, as the contract has them: a part with a required member must be given, a part
 * that the operation lacks cannot be given, and an operation without parameters takes `{}`.
 */
export type OperationInput<Id extends OperationId> = Readonly<
  Pick<Contract[Id]['parameters'], 'path' | 'query'>
> &
  Body<Contract[Id]>;

type Success<Replies> = Replies extends { 200: infer Ok } ? Json<Ok> : undefined;

/** Body of the successful reply of an operation; undefined where there is none. */
export type OperationReply<Id extends OperationId> = Success<Contract[Id]['responses']>;
