import type { operations as Contract } from './contract.ts';
import type { OperationId } from './operations.ts';

type Json<T> = T extends { content: { 'application/json': infer Content } } ? Content : undefined;

/** The body of a request: required or optional as in the contract, or no body. */
type Body<T extends { requestBody?: unknown }> = {
  readonly [Key in keyof Pick<T, 'requestBody'> as 'body']: Json<T[Key]>;
};

/**
 * Path, query and body of an operation, as the contract has them. A part with a required member must be
 * given, and a part that the operation lacks is refused. An operation without parameters takes `{}`.
 */
export type OperationInput<Id extends OperationId> = Readonly<
  Pick<Contract[Id]['parameters'], 'path' | 'query'>
> &
  Body<Contract[Id]>;

type Success<Replies> = Replies extends { 200: infer Ok } ? Json<Ok> : undefined;

/** The body of an operation's successful reply. It is undefined if the reply has no body. */
export type OperationReply<Id extends OperationId> = Success<Contract[Id]['responses']>;
