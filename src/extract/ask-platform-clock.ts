import type { Platform } from '../platform/platform.ts';

/**
 * Makes sure that the platform's clock is known, by one request if needed. A range that still lies ahead of
 * the platform's clock must not be called stored: points that come later would be lost. Throws what the
 * platform throws if it cannot be reached.
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
    // A refused request tells the platform's time as well.
    if (platform.clockSkewMs() === undefined) throw error;
  }
}
