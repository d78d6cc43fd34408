/** How long an answer stays fresh, by the time that it took. */
export interface Freshness {
  /** An answer is fresh for this many times the time that it took. */
  readonly timesItsCost: number;
  readonly leastMs?: number;
  readonly mostMs?: number;
}

/**
 * Returns for how many milliseconds an answer is fresh that took so many milliseconds. What costs more is
 * asked less often, so that asking never takes more than a share of the time.
 */
export function freshForMs(
  tookMs: number,
  { timesItsCost, leastMs = 0, mostMs = Number.POSITIVE_INFINITY }: Freshness,
): number {
  return Math.min(Math.max(tookMs * timesItsCost, leastMs), mostMs);
}
