import { readFileSync } from 'node:fs';
import { packageFile } from '../package-root.ts';

/** The part of JSON Schema that describes the configuration. */
export interface SchemaNode {
  readonly type?: string | string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly required?: readonly string[];
}

/** The file in this package, for editors and for us. `npm run schema` writes it. */
export const SCHEMA_FILE = 'config/plantsync.schema.json';

let schema: SchemaNode | undefined;

/**
 * Returns the JSON Schema of plantsync.yaml. It is read from its file, since making it takes as long as all
 * else that reading a configuration needs.
 */
export function readJsonSchema(): SchemaNode {
  schema ??= JSON.parse(readFileSync(packageFile(SCHEMA_FILE), 'utf8')) as SchemaNode;
  return schema;
}

/**
 * Returns the keys of a map, also where a plain on or off is allowed instead. Returns undefined if the node
 * is no map.
 */
export function mapOf(node: SchemaNode | undefined): Record<string, SchemaNode> | undefined {
  return node?.properties ?? node?.anyOf?.find((form) => form.properties)?.properties;
}

/** One option of plantsync.yaml. Its `path` is like `platform.baseUrl`, with `[]` after a list. */
export interface Option {
  readonly path: string;
  readonly about: string | undefined;
  readonly fallback: unknown;
}

/** Lists every option that holds a value, in the order of the schema. */
export function listOptions(node: SchemaNode = readJsonSchema(), path = ''): Option[] {
  const keys = mapOf(node) ?? mapOf(node.items);
  if (keys === undefined) return [{ path, about: node.description, fallback: node.default }];
  const prefix = path === '' ? '' : `${path}${node.items ? '[]' : ''}.`;
  return Object.entries(keys).flatMap(([key, child]) => listOptions(child, `${prefix}${key}`));
}
