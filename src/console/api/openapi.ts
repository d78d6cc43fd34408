import { z } from 'zod';
import type { ApiRoute } from './route.ts';

/** Describes the API as an OpenAPI 3.1 document, made from the routes themselves. */
export function describeApi(
  routes: readonly ApiRoute[],
  { version, root }: { version: string; root: string },
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `${root}${route.path}`;
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'plantsync',
      version,
      description: 'What plantsync has stored, what is missing, and what it does. Times are ISO 8601 in UTC.',
    },
    paths,
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The value of console.token.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'plantsync_session' },
      },
    },
    security: [{ bearer: [] }, { cookie: [] }, {}],
  };
}

const problemSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'A code of docs/errors.md.' },
        message: { type: 'string' },
        problems: { type: 'array', items: { type: 'string' } },
      },
    },
  },
};

function describeRoute(route: ApiRoute): object {
  const problem = {
    description: 'What failed, and why.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  const contents = { 'application/json': { schema: jsonSchema(route.reply, 'output') } };
  for (const type of route.files) Object.assign(contents, { [type]: { schema: { type: 'string' } } });
  return {
    operationId: route.id,
    summary: route.summary,
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
      },
    }),
    responses: { 200: { description: 'The answer.', content: contents }, default: problem },
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description && { description }),
    schema: type,
  }));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return described;
}
