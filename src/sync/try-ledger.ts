import { messageOf, StoreError } from '../errors.ts';
import type { SyncContext } from './context.ts';

/**
 * Asks the ledger for what a job can do without that goes on while Postgres is away; resolves to undefined then, and when there is no
 * answer in time. `onLate` gets an answer that comes later all the same.
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
    // It may go away at any time.
    if (!(error instanceof StoreError)) throw error;
    log.debug({ reason: messageOf(error) }, 'going on without the ledger');
    return undefined;
  }
}
