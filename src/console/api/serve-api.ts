import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { InterruptedError, PlantsyncError, UsageError } from '../../errors.ts';
import { withGiveUp } from '../../postgres/give-up.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { ApiContext } from './api-context.ts';
import { holdsNul } from './fields.ts';
import { describeApi } from './openapi.ts';
import { ApiFile, type ApiRoute } from './route.ts';
import { SharedAnswers } from './shared-answers.ts';
import { Turns } from './turns.ts';

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
  readonly bounds?: Partial<AnswerBounds> | undefined;
}

/** What the API may take of the service. */
export interface AnswerBounds {
  /** Operations that work at once, of which each may hold a connection to Postgres. */
  readonly atOnce: number;
  /** An operation that takes longer is answered by an error. */
  readonly answerMs: number;
  /** Files that are sent at once, each of which may hold a connection for as long as its reader takes. */
  readonly filesAtOnce: number;
}

const defaultBounds: AnswerBounds = { atOnce: 4, answerMs: 30_000, filesAtOnce: 3 };
/** Operations that may wait for others. */
const MOST_WAITING = 200;

/** What all operations share. */
interface Answering extends ApiServing {
  readonly answerMs: number;
  readonly turns: Turns;
  readonly files: Turns;
  readonly shared: SharedAnswers;
}

/**
 * Adds all operations of the API, and the OpenAPI document about them. Answers to equal questions are shared.
 * Call the returned function when what they tell has changed.
 */
export function serveApi(app: FastifyInstance, serving: ApiServing): () => void {
  const { atOnce, answerMs, filesAtOnce } = { ...defaultBounds, ...serving.bounds };
  const turns = new Turns({ most: atOnce, mostWaiting: MOST_WAITING });
  const files = new Turns({ most: filesAtOnce, mostWaiting: 0 });
  const shared = new SharedAnswers(steadyMs);
  const answering = { ...serving, answerMs, turns, files, shared };
  // Most services are never asked for it, and it takes as long as a good part of their start.
  let document: object | undefined;
  app.get(
    `${API_ROOT}/openapi.json`,
    async () => (document ??= describeApi(serving.routes, { version: serving.version, root: API_ROOT })),
  );
  for (const route of serving.routes)
    app.route({
      method: route.method.toUpperCase(),
      url: `${API_ROOT}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      handler: (request, reply) => answer(route, answering, { request, reply }),
    });
  return () => shared.forget();
}

async function answer(
  route: ApiRoute,
  answering: Answering,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<unknown> {
  const { context, whyNot, readOnly, files, shared } = answering;
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
  reply.raw.once('close', () =>
    gone.abort(new InterruptedError('interrupted.by_signal', 'the client has gone')),
  );
  const work = (left: AbortSignal) => {
    const signal = AbortSignal.any([left, ctx.signal]);
    return inTime(answering, signal, (within) => route.handle(ctx, { ...parts, signal: within } as never));
  };
  if (isShared(route)) {
    const make = async (left: AbortSignal) => JSON.stringify(await work(left));
    return reply
      .type('application/json; charset=utf-8')
      .send(await shared.give(request.url, gone.signal, make));
  }
  const found = await work(gone.signal);
  if (route.writes) shared.forget();
  if (!(found instanceof ApiFile)) return reply.send(found);
  const { content } = found;
  if (content instanceof Readable) await holdTurn(files, content, AbortSignal.any([gone.signal, ctx.signal]));
  return sendFile(reply, found);
}

/** Files are not shared: each reader takes its own at its own pace. */
function isShared({ method, files }: ApiRoute): boolean {
  return method === 'get' && files.length === 0;
}

/**
 * Does the work of an answer when it is its turn. Throws a `PlantsyncError` if that takes too long, and ends
 * the statements of the work. The turn ends only with the work, so that a server that hangs does not get more
 * and more to do.
 */
async function inTime(
  { turns, answerMs }: Answering,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `there is no answer after ${answerMs / 1000} s: a store does not answer, or the question is too large`;
    late.abort(new PlantsyncError('console.too_slow', message, { action: 'retry' }));
  }, answerMs);
  const silence = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true });
  });
  const doIt = async () => {
    const within = AbortSignal.any([signal, late.signal]);
    const end = await turns.take(within);
    try {
      return await withGiveUp(within, () => work(within));
    } finally {
      end();
    }
  };
  try {
    return await Promise.race([doIt(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Takes a turn that ends with a stream. Without a free turn the stream ends at once. */
async function holdTurn(files: Turns, stream: Readable, signal: AbortSignal): Promise<void> {
  try {
    stream.once('close', await files.take(signal));
  } catch (error) {
    stream.destroy();
    throw error;
  }
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
  const hasNul = checked.success && holdsNul(checked.data);
  if (checked.success && !hasNul) return checked.data;
  const problems = checked.success
    ? ['a text holds a NUL, which no name has and no store takes']
    : checked.error.issues.map(({ path, message }) =>
        path.length === 0 ? message : `${path.join('.')}: ${message}`,
      );
  throw new UsageError('usage.wrong_request', `${where} of the request is wrong`, problems);
}
