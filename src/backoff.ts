/** The waits between the tries of one action. They double from the first wait to the longest one. */
export interface Waits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the wait that follows a try. `attempt` counts the tries before it, from 0. */
export function backoffMs({ firstMs, longestMs }: Waits, attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempt);
}

/**
 * Returns a random wait from 0 to `backoffMs`. Callers that failed together thus do not come back together.
 */
export function jitteredBackoffMs(waits: Waits, attempt: number, random: () => number): number {
  return random() * backoffMs(waits, attempt);
}

/**
 * Returns the milliseconds that a `Retry-After` header asks for (seconds, or an HTTP date).
 * Returns undefined if the header says nothing usable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
