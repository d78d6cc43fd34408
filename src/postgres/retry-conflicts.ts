import { setTimeout as sleep } from 'node:timers/promises';
import { jitteredBackoffMs } from '../backoff.ts';
import { isConflict } from './postgres-errors.ts';

/** Waits before the work is done again. */
const RETRY_WAITS = { firstMs: 100, longestMs: 800 };
const MOST_ATTEMPTS = 5;

/**
 * Does work again after a deadlock or a serialization failure: Postgres has undone all of it then. Throws
 * every other error, and that of the last attempt.
 */
export async function retryConflicts<T>(work: () => Promise<T>, attempts = MOST_ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error;
      // The wait is random, so that transactions that met do not meet again.
      await sleep(jitteredBackoffMs(RETRY_WAITS, attempt - 1, Math.random));
    }
  }
}
