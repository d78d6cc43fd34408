import type { Logger } from '../../log.ts';
import { type Io, showFleeting } from '../io.ts';
import { formatDuration } from './table.ts';

/** A wait that is shorter than this needs no words. */
const PATIENCE_MS = 2_000;
const TICK_MS = 1_000;

/** The commands that tell a wait. A wait within another one says nothing more. */
const waiting = new WeakSet<Io>();

/** Where people see that a command waits. */
export interface WaitPlace {
  readonly io: Io;
  readonly log: Logger;
}

/**
 * Does the work, and tells what it waits for if that takes longer than two seconds. On a terminal a line
 * counts the seconds; elsewhere the log has an entry.
 */
export async function tellWait<T>({ io, log }: WaitPlace, what: string, work: () => Promise<T>): Promise<T> {
  if (waiting.has(io)) return work();
  waiting.add(io);
  const note = setTimeout(() => log.info({}, `${what} …`), PATIENCE_MS).unref();
  const end = beginWait(io, (waitedMs) =>
    waitedMs < PATIENCE_MS ? '' : `${what} … ${formatDuration(waitedMs)}`,
  );
  try {
    return await work();
  } finally {
    waiting.delete(io);
    clearTimeout(note);
    end();
  }
}

/** Shows a line on the terminal that changes each second, until the returned function is called. */
export function beginWait(io: Io, describe: (waitedMs: number) => string): () => void {
  let waitedMs = 0;
  const show = () => showFleeting(io, describe(waitedMs));
  const timer = setInterval(() => {
    waitedMs += TICK_MS;
    show();
  }, TICK_MS).unref();
  show();
  return () => {
    clearInterval(timer);
    showFleeting(io, '');
  };
}
