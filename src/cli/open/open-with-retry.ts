import { messageOf, PlantsyncError } from '../../errors.ts';
import { sleepUntilAborted } from '../../sleep.ts';
import type { SyncContext } from '../../sync/context.ts';

const firstWaitMs = 1000;
const longestWaitMs = 60000;
/** Opens something, and waits and tries again while it cannot be reached. Undefined if the signal came first. */
export async function openWithRetry<T>(
  open: () => Promise<T>,
  {
    log,
    signal,
    onWait,
  }: Pick<SyncContext, 'log' | 'signal'> & { onWait?: ((reason: string) => void) | undefined },
): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PlantsyncError) || error.action !== 'retry') throw error;
      onWait?.(`the service cannot start yet: ${messageOf(error)}`);
      log.error(`cannot start yet: ${messageOf(error)}; trying again in ${waitMs / 1000} s`);
      await sleepUntilAborted(waitMs, signal);
    }
  }
  return undefined;
}
