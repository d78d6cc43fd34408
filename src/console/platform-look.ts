import { PlantsyncError, PlatformError } from '../errors.ts';
import type { CallOptions, Platform } from '../platform/platform.ts';

/** What a look needs of the platform. */
export interface AskedPlatform extends Pick<Platform, 'stats' | 'token'> {
  call(id: 'getHealth', input: Record<never, never>, options: CallOptions): Promise<unknown>;
}

/** A reply to any request shows for this time that the platform answers. */
const FRESH_MS = 5_000;
/** A platform that has failed is asked again after this time. Any other success counts at once. */
const ASK_AGAIN_MS = 10_000;
const DEADLINE_MS = 2_500;

/**
 * Creates the look at the platform. It sends no request while the requests of the service itself succeed. If
 * no request has succeeded for 5 s, the look asks the platform once for its health, with the token of the
 * process.
 */
export function lookAtPlatform(
  platform: Pick<AskedPlatform, 'call' | 'stats'>,
  clock: () => number,
): (signal: AbortSignal) => Promise<void> {
  let failed: { readonly error: unknown; readonly atMs: number } | undefined;
  const isFresh = () => clock() - (platform.stats().lastSuccessMs ?? Number.NEGATIVE_INFINITY) < FRESH_MS;
  const hasAnswered = (error: unknown) => isFresh() || (error instanceof PlatformError && error.refusesItem);
  return async (signal) => {
    if (isFresh()) {
      failed = undefined;
      return;
    }
    if (failed !== undefined && clock() - failed.atMs < ASK_AGAIN_MS) throw failed.error;
    try {
      await platform.call('getHealth', {}, { signal, retries: 0, deadlineMs: DEADLINE_MS, priority: 'live' });
      failed = undefined;
    } catch (error) {
      if (hasAnswered(error)) return;
      // The limit of the look has passed, which says nothing about the platform.
      const told = signal.aborted
        ? new PlantsyncError('platform.timeout', 'the platform gives no answer in time', { action: 'retry' })
        : error;
      failed = { error: told, atMs: clock() };
      throw told;
    }
  };
}
