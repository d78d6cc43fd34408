import { backoffMs } from '../../backoff.ts';
import { describeError, PlantsyncError } from '../../errors.ts';
import { sleepOrWake } from '../../sleep.ts';
import type { SyncContext } from '../../sync/context.ts';

/** The waits before something is opened again. */
const RETRY_WAITS = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Opens something. While it cannot be reached, waits and tries again. Returns undefined if the signal came
 * first.
 */
export async function openWithRetry<T>(
  open: () => Promise<T>,
  {
    log,
    signal,
    onWait,
  }: Pick<SyncContext, 'log' | 'signal'> & { onWait?: ((reason: string) => void) | undefined },
): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PlantsyncError) || error.action !== 'retry') throw error;
      onWait?.(`the service cannot start yet: ${describeError(error)}`);
      const waitMs = backoffMs(RETRY_WAITS, attempt);
      const { code, message } = error;
      log.error({ code }, `cannot start yet: ${message}; trying again in ${waitMs / 1000} s`);
      await sleepOrWake(waitMs, signal);
    }
  }
  return undefined;
}
