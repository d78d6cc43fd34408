import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Config } from '../config/config-schema.ts';
import { codeOf, type ErrorCode, PlantsyncError, StoreError, UsageError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Redact } from '../redact.ts';
import { Access } from './access/access.ts';
import { guard, serveSessions } from './access/guard.ts';
import type { ApiContext } from './api/api-context.ts';
import { apiRoutes } from './api/routes.ts';
import { type AnswerBounds, API_ROOT, serveApi } from './api/serve-api.ts';
import { serveEvents } from './live/serve-events.ts';
import type { Prometheus } from './prometheus.ts';
import type { Readiness } from './readiness.ts';
import { servePage } from './serve-page.ts';

export interface ConsoleServerOptions {
  /** `port` 0 takes a free port. */
  readonly settings: Config['console'] & { readonly port: number };
  readonly version: string;
  readonly readiness: () => Readiness;
  /** Returns the running service. Undefined while it starts or ends. */
  readonly context: () => ApiContext | undefined;
  readonly prometheus: Pick<Prometheus, 'render' | 'contentType'>;
  /** Folder of the built page. */
  readonly pageFolder: string;
  readonly log: Logger;
  readonly redact: Redact;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  /** The bounds of requests; those of the product if not given. */
  readonly bounds?: Partial<AnswerBounds> & { readonly silentMs?: number };
}

export interface ConsoleServer {
  /** The address of the server, such as `http://127.0.0.1:8481`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A client that takes longer to send its request is disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;
/**
 * A client that takes nothing of its answer for so long is disconnected. Every answer takes less time, and
 * Postgres keeps a transaction that stands still for longer.
 */
const SILENT_MS = 45_000;
/** The longest body has a list of names in it. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Serves page, API, health and metrics. Health and metrics wait for nothing except the numbers of the ledger,
 * and for those not long. Throws a `PlantsyncError` if the port is not available.
 */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: options.bounds?.silentMs ?? SILENT_MS,
    forceCloseConnections: true,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const access = new Access(options.settings, options.clock);
  await guard(app, access);
  addErrorHandlers(app, options);
  addHealth(app, access, options);
  addApi(app, access, options);
  await servePage(app, options.pageFolder);
  const { port, host } = options.settings;
  try {
    const url = await app.listen({ port, host });
    return { url, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw explainListen(error, { port, host });
  }
}

function addHealth(app: FastifyInstance, access: Access, options: ConsoleServerOptions): void {
  const { version, readiness, prometheus, settings } = options;
  const health = { config: { access: 'health' } } as const;
  app.get('/healthz', health, async () => ({
    alive: true,
    version,
    uptimeSeconds: Math.floor(process.uptime()),
  }));
  app.get('/readyz', health, async (request, reply) => {
    const report = readiness();
    const mayKnowWhy = access.isFromHere(request) || (await access.isSignedIn(request).catch(() => false));
    return reply.code(report.ready ? 200 : 503).send(mayKnowWhy ? report : withoutReasons(report));
  });
  app.get('/metrics', settings.metrics === 'open' ? health : {}, async (_request, reply) =>
    reply.type(prometheus.contentType).send(await prometheus.render()),
  );
}

/** What strangers see of the readiness: names and states, and no reason, which may name a server. */
function withoutReasons({ ready, dependencies }: Readiness): object {
  const states = Object.entries(dependencies).map(([name, { state }]) => [name, { state }]);
  return { ready, dependencies: Object.fromEntries(states) };
}

function addApi(app: FastifyInstance, access: Access, options: ConsoleServerOptions): void {
  const { context, readiness, settings, version, clock, log } = options;
  const whyNot = () => readiness().reason ?? 'the service is about to end';
  const { readOnly, token } = settings;
  serveSessions(app, { access, token, root: API_ROOT, clock });
  const onChange = serveApi(app, {
    ...{ routes: apiRoutes, context, whyNot, readOnly, version, bounds: options.bounds },
  });
  serveEvents(app, { path: `${API_ROOT}/events`, context, readiness, onChange, log });
}

/** The HTTP status of an error by its code. Other errors go by their class. */
const statusOfCode: Partial<Record<ErrorCode, number>> = {
  'console.not_running': 503,
  'console.not_signed_in': 401,
  'console.wrong_token': 401,
  'console.needs_token': 403,
  'console.too_many_tries': 429,
  'console.wrong_host': 421,
  'console.wrong_origin': 403,
  'console.read_only': 403,
  'console.not_found': 404,
  'usage.unknown_case': 404,
  'usage.unknown_order': 404,
  'usage.unknown_run': 404,
};

function statusOf(error: FastifyError | Error): number {
  if (!(error instanceof PlantsyncError)) return ('statusCode' in error && error.statusCode) || 500;
  const ofCode = statusOfCode[error.code];
  if (ofCode !== undefined) return ofCode;
  if (error instanceof UsageError) return 400;
  return error instanceof StoreError || error.action === 'retry' ? 503 : 500;
}

function addErrorHandlers(app: FastifyInstance, { log, redact }: ConsoleServerOptions): void {
  const send = (reply: FastifyReply, status: number, error: Error) => {
    const isOurs = error instanceof PlantsyncError || status < 500;
    const message = isOurs ? redact(error.message) : 'the request failed; the log says why';
    const problems = error instanceof UsageError && error.problems.length > 0 ? error.problems : undefined;
    return reply.code(status).send({ error: { code: codeForClient(error, status), message, problems } });
  };
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = statusOf(error);
    if (status >= 500) {
      const facts = { path: request.routeOptions.url, reason: error.message, code: codeOf(error) };
      log[error instanceof PlantsyncError ? 'debug' : 'error'](facts, 'the console could not answer');
    }
    if (status === 429) reply.header('retry-after', '60');
    return send(reply, status, error);
  });
  app.setNotFoundHandler((_request, reply) =>
    send(
      reply,
      404,
      new PlantsyncError(
        'console.not_found',
        'the console has / (its page), /api/v1, /healthz, /readyz and /metrics',
      ),
    ),
  );
}

/** What Fastify refuses (a body that is no JSON, or too long) is a wrong request. */
function codeForClient(error: Error, status: number): ErrorCode {
  return error instanceof PlantsyncError || status >= 500 ? codeOf(error) : 'usage.wrong_request';
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there: set console.port to another port, or end that process',
  EACCES: 'this user does not have the right: set console.port to a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address: correct console.host',
  ENOTFOUND: 'there is no such host name: correct console.host',
};

function explainListen(error: unknown, { port, host }: { port: number; host: string }): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem = listenProblems[code];
  if (problem === undefined) return error instanceof Error ? error : new Error(String(error));
  return new PlantsyncError(
    'console.cannot_listen',
    `console.port ${port} of ${host} is not available: ${problem}`,
    { action: 'stop', cause: error },
  );
}
