import type { FastifyInstance } from 'fastify';
import { PlantsyncError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { ApiContext } from '../api/api-context.ts';
import type { Readiness } from '../readiness.ts';
import { LiveFeed } from './live-feed.ts';

export interface EventsOptions {
  readonly path: string;
  readonly context: () => ApiContext | undefined;
  readonly readiness: () => Readiness;
  /** Is called before the pages are told that something has changed. */
  readonly onChange: () => void;
  readonly log: Logger;
}

/** Pages that may listen at once. More of them would hold too many connections. */
const MOST_LISTENERS = 200;
/** A page that reads nothing is left out once this many bytes wait for it. */
const MOST_WAITING_BYTES = 64 * 1024;

/**
 * Serves the stream of server-sent events. Each event names what has changed: `{"changed": ["runs"]}`. Pages
 * ask for that by the API, so no event holds data.
 */
export function serveEvents(
  app: FastifyInstance,
  { path, context, readiness, onChange, log }: EventsOptions,
): void {
  const readMarks = async () => {
    const health = JSON.stringify(readiness());
    const marks = await context()?.ledger.readMarks();
    return { health, ...marks };
  };
  const feed = new LiveFeed({ readMarks, onChange, log });
  app.addHook('preClose', () => feed.close());
  app.get(path, (request, reply) => {
    if (feed.listeners >= MOST_LISTENERS)
      throw new PlantsyncError('console.busy', 'too many pages are open', { action: 'retry' });
    reply.hijack();
    const { raw } = reply;
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
    const leave = feed.listen((changed) => {
      if (raw.writableLength < MOST_WAITING_BYTES) raw.write(`data: ${JSON.stringify({ changed })}\n\n`);
    });
    request.raw.once('close', leave);
  });
}
