import type { Platform } from '../platform/platform.ts';

/**
 * Makes the platform's clock known, if it is not yet. A stretch that still lies ahead of the platform's clock must not be called
 * stored: what comes in it later would be lost. Throws what the platform throws if it cannot be reached.
 */
export async function askPlatformClock({
  platform,
  signal,
}: {
  platform: Platform;
  signal: AbortSignal;
}): Promise<void> {
  if (platform.clockSkewMs() !== undefined) return;
  try {
    await platform.call('getHealth', {}, { signal });
  } catch (error) {
    // A refusal tells the time as well.
    if (platform.clockSkewMs() === undefined) throw error;
  }
}
