import { setMaxListeners } from 'node:events';
import { sleepOrWake, whenAborted } from '../sleep.ts';
import type { EngineOptions } from './engine.ts';

/**
 * Does the work of an engine with the signal that its jobs get: it is aborted when they have gone on for `shutdownTimeoutMs` after the
 * engine was told to end. `sleep` is what a test replaces.
 */
export async function withJobSignal(
  { signal, shutdownTimeoutMs }: Pick<EngineOptions, 'signal' | 'shutdownTimeoutMs'>,
  work: (jobSignal: AbortSignal) => Promise<unknown>,
  sleep = sleepOrWake,
): Promise<void> {
  const ending = new AbortController();
  // Every request of a job listens to it: many listeners are no leak.
  setMaxListeners(0, ending.signal);
  const finished = new AbortController();
  const limit = whenAborted(signal, finished.signal).then(async () => {
    if (!finished.signal.aborted) await sleep(shutdownTimeoutMs, finished.signal);
    ending.abort(signal.reason);
  });
  try {
    await work(ending.signal);
  } finally {
    finished.abort();
    await limit;
  }
}
