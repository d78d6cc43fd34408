import { setMaxListeners } from 'node:events';
import { sleepOrWake, whenAborted } from '../sleep.ts';
import type { EngineOptions } from './engine.ts';

/**
 * Does the work of an engine, and gives it the signal for its jobs. The signal is aborted when jobs go on for
 * longer than `shutdownTimeoutMs` after the engine was told to end. Tests replace `sleep`.
 */
export async function withJobSignal(
  { signal, shutdownTimeoutMs }: Pick<EngineOptions, 'signal' | 'shutdownTimeoutMs'>,
  work: (jobSignal: AbortSignal) => Promise<unknown>,
  sleep = sleepOrWake,
): Promise<void> {
  const ending = new AbortController();
  // Every request of a job listens to this signal, so many listeners are no leak.
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
