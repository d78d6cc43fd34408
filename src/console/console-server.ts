import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { PlantsyncError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Prometheus } from './prometheus.ts';
import type { Readiness } from './readiness.ts';

export interface ConsoleServerOptions {
  /** The port to listen on. 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  readonly version: string;
  readonly readiness: () => Readiness;
  readonly prometheus: Pick<Prometheus, 'render' | 'contentType'>;
  readonly log: Logger;
}

export interface ConsoleServer {
  /** The address of the server, such as `http://127.0.0.1:8481`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A client that takes longer to send its request is disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;
/** No request has a body. */
const MAX_BODY_BYTES = 1024;

/**
 * Serves health and metrics. An answer waits for nothing except the numbers of the ledger, and for those not
 * long. Throws a `PlantsyncError` if the port is not available.
 */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  addRoutes(app, options);
  const { port, host } = options;
  try {
    const url = await app.listen({ port, host });
    return { url, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw explainListen(error, { port, host });
  }
}

function addRoutes(app: FastifyInstance, options: ConsoleServerOptions): void {
  const { version, readiness, prometheus, log } = options;
  app.get('/healthz', async () => ({ alive: true, version, uptimeSeconds: Math.floor(process.uptime()) }));
  app.get('/readyz', async (_request, reply) => {
    const report = readiness();
    return reply.code(report.ready ? 200 : 503).send(report);
  });
  app.get('/metrics', async (_request, reply) => {
    return reply.type(prometheus.contentType).send(await prometheus.render());
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    log.error({ path: request.routeOptions.url, reason: error.message }, 'the console could not answer');
    return reply.code(error.statusCode ?? 500).send({ message: 'the request failed; the log says why' });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ message: 'the console answers to /healthz, /readyz and /metrics' }),
  );
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
