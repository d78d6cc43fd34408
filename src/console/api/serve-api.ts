import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { PlantsyncError, UsageError } from '../../errors.ts';
import type { ApiContext } from './api-context.ts';
import { describeApi } from './openapi.ts';
import { ApiFile, type ApiRoute } from './route.ts';

/** The path below which the API lies. */
export const API_ROOT = '/api/v1';

export interface ApiServing {
  readonly routes: readonly ApiRoute[];
  /** Returns the running service, or undefined while it starts or ends. */
  readonly context: () => ApiContext | undefined;
  /** The reason why there is no running service, in words. */
  readonly whyNot: () => string;
  readonly readOnly: boolean;
  readonly version: string;
}

/** Adds all operations of the API, and the OpenAPI document about them. */
export function serveApi(app: FastifyInstance, serving: ApiServing): void {
  const document = describeApi(serving.routes, { version: serving.version, root: API_ROOT });
  app.get(`${API_ROOT}/openapi.json`, async () => document);
  for (const route of serving.routes)
    app.route({
      method: route.method.toUpperCase(),
      url: `${API_ROOT}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      handler: (request, reply) => answer(route, serving, { request, reply }),
    });
}

async function answer(
  route: ApiRoute,
  { context, whyNot, readOnly }: ApiServing,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<unknown> {
  if (route.writes && readOnly)
    throw new PlantsyncError('console.read_only', 'the console changes nothing: console.readOnly is set');
  const parts = {
    params: check(route.params, request.params, 'the path'),
    query: check(route.query, request.query, 'the query'),
    body: check(route.body, request.body, 'the body'),
  };
  const ctx = context();
  if (ctx === undefined) throw new PlantsyncError('console.not_running', whyNot(), { action: 'retry' });
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, ctx.signal]);
  const found = await route.handle(ctx, { ...parts, signal } as never);
  return found instanceof ApiFile ? sendFile(reply, found) : reply.send(found);
}

function sendFile(reply: FastifyReply, { type, content, fileName }: ApiFile): FastifyReply {
  if (fileName !== undefined)
    reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`);
  return reply.type(type).send(content);
}

/** Checks a part of a request. Throws a `UsageError` that names everything that is wrong. */
function check(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const checked = schema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new UsageError('usage.wrong_request', `${where} of the request is wrong`, problems);
}
