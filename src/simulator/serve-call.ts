import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OperationId, operations } from '../platform/operations.ts';
import { errorAnswer, htmlAnswer, jsonAnswer, type RawAnswer, unauthorizedAnswer } from './error-answer.ts';
import { sendCut, sendSlowly } from './fault-bodies.ts';
import type { FaultRule, Faults } from './faults.ts';
import { type Journal, redactPath, redactQuery } from './journal.ts';
import { drift } from './plant/apply-change.ts';
import { presentedToken } from './presented-token.ts';
import type { Query } from './query.ts';
import { parameterError, RefusedCall } from './refused-call.ts';
import { handlers } from './routes/handlers.ts';
import { checkView } from './views.ts';
import type { Call, World } from './world.ts';

/** The parts that the HTTP side of the simulator needs. */
export interface Service {
  readonly world: World;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly onRequest: ((operation: OperationId) => void) | undefined;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes a request into the journal, and notes its end when the connection is done with it. */
export function record(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  id?: OperationId,
): void {
  const { tokenPlace } = service.world.dialect;
  const entry = {
    at: new Date(service.world.nowMs()).toISOString(),
    operation: id,
    method: request.method,
    path: redactPath(request.url.split('?')[0] ?? ''),
    query: redactQuery(queryOf(request), tokenPlace.in === 'query' ? tokenPlace.name : undefined),
    body: typeof request.body === 'string' ? shown(request.body) : undefined,
    status: 0,
  };
  service.journal.begin(entry);
  reply.raw.once('close', () => service.journal.end(entry, reply.raw.headersSent ? reply.raw.statusCode : 0));
}

/**
 * Serves one request of an operation. Faults come first, then the token is checked, then the operation is
 * done.
 */
export async function serve(
  service: Service,
  id: OperationId,
  http: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { request, reply } = http;
  record(service, request, reply, id);
  service.onRequest?.(id);
  reply.header('date', new Date(service.world.nowMs()).toUTCString());
  const text = `${request.url}\n${typeof request.body === 'string' ? request.body : ''}`;
  const struck = service.faults.strike(id, text);
  for (const { kind, delayMs = 0 } of struck)
    if (kind === 'latency') await sleep(delayMs, undefined, { ref: false });
  const fault = struck.find(({ kind }) => kind !== 'latency');
  if (fault?.kind === 'revoke') service.world.tokens.revoke();
  if (fault?.kind === 'insert' || fault?.kind === 'remove')
    drift(service.world, id, { kind: fault.kind, path: pathOf(request) });
  if (fault?.kind === 'reset') return hangUp(http);
  if (fault?.kind === 'silent') return reply.hijack();
  const answer =
    (fault && faultAnswer(fault)) ?? (await answerOf(seenWorld(service.world, fault), id, request));
  if (fault?.kind === 'lost') return hangUp(http);
  reply.code(answer.status).headers(answer.headers);
  if (fault?.kind === 'truncate') return sendCut(reply, answer.text);
  if (fault?.kind === 'slow') return sendSlowly(reply, answer.text, fault.delayMs ?? 1000);
  return reply.send(answer.text);
}

/** Returns the world as a request with a fault sees it. */
function seenWorld(world: World, fault: FaultRule | undefined): World {
  if (fault?.kind === 'empty-list') return { ...world, view: 'empty' };
  return fault?.kind === 'hide' ? { ...world, view: 'half' } : world;
}

function hangUp({ request, reply }: { request: FastifyRequest; reply: FastifyReply }): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

/**
 * Returns the reply that a fault gives instead of the operation's own. Returns undefined for other faults.
 */
function faultAnswer(fault: FaultRule): RawAnswer | undefined {
  const retryAfter: Record<string, string> =
    fault.retryAfterSec === undefined ? {} : { 'retry-after': String(fault.retryAfterSec) };
  const message = fault.message ?? 'the simulator was told to fail';
  switch (fault.kind) {
    case 'status': {
      const body = { ...(fault.code === undefined ? {} : { code: fault.code }), message };
      const answer = jsonAnswer(fault.status ?? 500, body);
      return { ...answer, headers: { ...answer.headers, ...retryAfter } };
    }
    case 'html': {
      const answer = htmlAnswer(fault.status ?? 502, message);
      return { ...answer, headers: { ...answer.headers, ...retryAfter } };
    }
    case 'json-garbage':
      return {
        status: fault.status ?? 200,
        headers: { 'content-type': JSON_TYPE },
        text: '{"list":[{"name":,}',
      };
    case 'empty':
      return { status: fault.status ?? 200, headers: { 'content-type': JSON_TYPE }, text: '' };
    default:
      return undefined;
  }
}

async function answerOf(world: World, id: OperationId, request: FastifyRequest): Promise<RawAnswer> {
  const { dialect, tokens } = world;
  if (operations[id].kind !== 'token') {
    const query = queryOf(request);
    const token = presentedToken(dialect.tokenPlace, { headers: request.headers, query });
    if (token === undefined || !tokens.isValid(token)) return unauthorizedAnswer(dialect);
  }
  try {
    if (operations[id].kind === 'read') checkView(world, pathOf(request));
    const answer = await handlers[id](world, callOf(request));
    const text = answer.json ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
    const type = text === '' ? {} : { 'content-type': JSON_TYPE };
    return { status: answer.status ?? 200, headers: { ...type, ...answer.headers }, text };
  } catch (error) {
    if (error instanceof RefusedCall) return errorAnswer(error, dialect);
    throw error;
  }
}

function callOf(request: FastifyRequest): Call {
  return { path: pathOf(request), query: queryOf(request), body: bodyOf(request) };
}

/** Parses a body as JSON, whatever its content type says. Throws a `RefusedCall` if it is no JSON. */
function bodyOf(request: FastifyRequest): unknown {
  if (typeof request.body !== 'string' || request.body === '') return undefined;
  const parsed = parseJson(request.body);
  if ('problem' in parsed) throw parameterError(`the body is no JSON: ${parsed.problem}`);
  return parsed.value;
}

function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function pathOf(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}

function queryOf(request: FastifyRequest): Query {
  return request.query as Query;
}

/** Returns a body as the journal keeps it: parsed, if it is JSON. */
function shown(text: string): unknown {
  const parsed = parseJson(text);
  return 'problem' in parsed ? text : parsed.value;
}
