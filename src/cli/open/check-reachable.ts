import { PlatformError } from '../../errors.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { Io } from '../io.ts';
import { tellWait } from '../output/tell-wait.ts';

const DEADLINE_MS = 15_000;

/**
 * Asks the platform for one small thing before long work begins. A platform that cannot be reached or gives
 * no token then ends the command with one sentence, instead of one for each stream. Throws the
 * `PlatformError` in these two cases, and leaves all other errors of the platform to the streams.
 */
export async function checkReachable(
  io: Io,
  { platform, log, signal }: Pick<SyncContext, 'platform' | 'log' | 'signal'>,
): Promise<void> {
  try {
    await tellWait({ io, log }, 'waiting for the platform to answer', () =>
      platform.call('getHealth', {}, { retries: 2, deadlineMs: DEADLINE_MS, signal }),
    );
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.unreachable || error.operation === 'getClientAccessToken') throw error;
  }
}
