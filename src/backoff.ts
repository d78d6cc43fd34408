const baseDelayMs = 500;
const maxDelayMs = 20_000;

/** Full jitter: anything from 0 to an exponentially growing, capped bound. `attempt` counts from 0. */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
}

/** Milliseconds that a `Retry-After` header asks for (seconds, or an HTTP date), or undefined if it says nothing usable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
