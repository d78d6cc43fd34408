import { z } from 'zod';
import { configSchema } from './config-schema.ts';

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

let made: SchemaNode | undefined;

/**
 * Returns the JSON Schema of plantsync.yaml for editors. No key is required in it, since each may come from
 * the environment. A map with `enabled` may also be a plain on or off. The schema is made once in a process,
 * because that takes as long as everything else that reading a configuration needs.
 */
export function makeJsonSchema(): SchemaNode {
  made ??= describeConfiguration();
  return made;
}

function describeConfiguration(): SchemaNode {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.required;
      // The default has the name `fallback` up to here, because zod drops the default of a transformed value.
      if ('fallback' in jsonSchema) jsonSchema.default = jsonSchema.fallback as string | number;
      delete jsonSchema.fallback;
    },
  }) as SchemaNode;
  return { ...allowSwitches(schema), description: 'Configuration of plantsync.' };
}

function allowSwitches(node: SchemaNode): SchemaNode {
  const inside: SchemaNode = {
    ...node,
    ...(node.properties && {
      properties: Object.fromEntries(
        Object.entries(node.properties).map(([key, child]) => [key, allowSwitches(child)]),
      ),
    }),
    ...(node.items && { items: allowSwitches(node.items) }),
  };
  if (inside.properties?.enabled === undefined) return inside;
  const { description, default: fallback, ...map } = inside;
  return {
    ...(description ? { description } : {}),
    default: fallback,
    anyOf: [map, { type: ['boolean', 'string'] }],
  };
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
export function listOptions(node: SchemaNode = makeJsonSchema(), path = ''): Option[] {
  const keys = mapOf(node) ?? mapOf(node.items);
  if (keys === undefined) return [{ path, about: node.description, fallback: node.default }];
  const prefix = path === '' ? '' : `${path}${node.items ? '[]' : ''}.`;
  return Object.entries(keys).flatMap(([key, child]) => listOptions(child, `${prefix}${key}`));
}
