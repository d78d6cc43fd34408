import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type OperationId, operations } from './operations.ts';

/** A path or query parameter of an operation. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly about: string;
  /**
   * The only value that the specification allows. The client sends it by itself if the parameter is required.
   */
  readonly only?: string;
}

/** What the contract says of an operation, for people. */
export interface OperationDescription {
  readonly id: OperationId;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly ParameterDescription[];
  readonly body: 'none' | 'optional' | 'required';
}

interface ContractParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: { readonly const?: unknown };
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, ContractParameter>> };
}

interface ContractOperation {
  readonly summary?: string;
  readonly parameters?: readonly (ContractParameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean };
}

/** Describes parameters and body of an operation as openapi.yaml in this folder states them. */
export function describeOperation(id: OperationId): OperationDescription {
  const contract = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8')) as Contract;
  const { method, path } = operations[id];
  const { summary = '', parameters = [], requestBody } = contract.paths[path]?.[method.toLowerCase()] ?? {};
  return {
    id,
    method,
    path,
    summary,
    parameters: parameters.map((parameter) => describeParameter(parameter, contract)),
    body: requestBody === undefined ? 'none' : requestBody.required ? 'required' : 'optional',
  };
}

function describeParameter(
  parameter: ContractParameter | { readonly $ref: string },
  { components }: Contract,
): ParameterDescription {
  const found =
    '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter;
  if (found === undefined) throw new Error(`openapi.yaml lacks a parameter that it refers to`);
  const { name, in: place, required = false, description = '', schema } = found;
  const only = schema?.const === undefined ? {} : { only: String(schema.const) };
  return { name, in: place, required, about: description, ...only };
}
