import { reasonOf, StoreError } from '../errors.ts';
import type { SyncContext } from './context.ts';

/**
 * Asks the ledger for something optional. Returns undefined while Postgres is away, or if no answer comes in
 * time. `onLate` gets an answer that comes later.
 */
export async function tryLedger<T>(
  { polls, log }: Pick<SyncContext, 'polls' | 'log'>,
  ask: () => Promise<T>,
  onLate?: (answer: T) => unknown,
): Promise<T | undefined> {
  if (polls.isAway) return undefined;
  try {
    return await polls.awaitAnswer(ask, onLate);
  } catch (error) {
    // Postgres may go away at any time.
    if (!(error instanceof StoreError)) throw error;
    log.debug(reasonOf(error), 'the ledger did not answer; the work goes on without it');
    return undefined;
  }
}
