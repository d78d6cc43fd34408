import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query';
}

interface ContractOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Schema }> }>>;
}

const document = parse(readFileSync(new URL('../../src/platform/openapi.yaml', import.meta.url), 'utf8'));
const contractOperations = new Map<string, ContractOperation>(
  Object.values(document.paths as Record<string, Record<string, ContractOperation>>)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

function resolve<T extends { readonly $ref?: string }>(node: T): T {
  if (node.$ref === undefined) return node;
  const path = node.$ref.replace('#/', '').split('/');
  return resolve(path.reduce((level, name) => level[name], document) as T);
}

/** Lists the names of an operation's parameters. */
export function parametersOf(operation: string, place: 'path' | 'query'): string[] {
  const { parameters = [] } = contractOperations.get(operation) as ContractOperation;
  return parameters
    .map((parameter) => resolve(parameter))
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => name);
}

/** Returns the schema of one record that an operation returns. */
function recordSchema(operation: string): Schema {
  const { responses } = contractOperations.get(operation) as ContractOperation;
  const reply = responses['200']?.content?.['application/json']?.schema as Schema;
  // Properties come as open objects. The contract says that they are those of `Property`.
  if (operation === 'listObjectProperties') return document.components.schemas.Property;
  const { list, children } = resolve(reply).properties ?? {};
  return (list ?? children)?.items ?? reply;
}

/**
 * Returns whether the record of an operation has the member at a path, in which `[]` stands for any entry.
 * Returns `open` if the contract leaves that open.
 */
export function findMember(operation: string, path: string): boolean | 'open' {
  let level: Schema | undefined = recordSchema(operation);
  for (const step of path.replaceAll('[]', '.[]').split('.')) {
    const schema: Schema = resolve(level as Schema);
    if (schema.additionalProperties !== undefined) return 'open';
    const inside: Schema | undefined = step === '[]' ? schema.items : memberOf(schema, step);
    if (inside === undefined) return false;
    level = inside;
  }
  return true;
}

/** Lists the members that the contract gives to a record of an operation. */
export function listMembers(operation: string): string[] {
  return namesIn(recordSchema(operation));
}

function namesIn(schema: Schema): string[] {
  const { properties = {}, allOf = [] } = resolve(schema);
  return [...Object.keys(properties), ...allOf.flatMap(namesIn)];
}

function memberOf(schema: Schema, member: string): Schema | undefined {
  const { properties, allOf = [] } = resolve(schema);
  return (
    properties?.[member] ?? allOf.map((each) => memberOf(each, member)).find((found) => found !== undefined)
  );
}
