import { z } from 'zod';
import { configSchema } from './config-schema.ts';
import type { SchemaNode } from './json-schema.ts';

/**
 * Makes the JSON Schema of plantsync.yaml for editors. No key is required in it, since each may come from the
 * environment. A map with `enabled` may also be a plain on or off.
 */
export function makeJsonSchema(): SchemaNode {
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
