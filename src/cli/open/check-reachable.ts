import { PlatformError } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';

const DEADLINE_MS = 15_000;

/**
 * Asks the platform for one small thing before long work begins. A platform that cannot be reached or gives
 * no token then ends the command with one sentence, instead of one for each stream. Throws the
 * `PlatformError` in these two cases, and leaves all other errors of the platform to the streams.
 */
export async function checkReachable(platform: Platform, signal: AbortSignal): Promise<void> {
  try {
    await platform.call('getHealth', {}, { retries: 2, deadlineMs: DEADLINE_MS, signal });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.unreachable || error.operation === 'getClientAccessToken') throw error;
  }
}
