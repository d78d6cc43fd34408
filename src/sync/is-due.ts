/** Milliseconds by which the clock that dated a run may be ahead of the clock that asks. */
const CLOCK_TOLERANCE_MS = 120_000;

/**
 * Tells whether work that is repeated at an age of `everyMs` is due at this run. The run that is nearest to
 * that age does the work. So the work does not wait for another period if a run comes a millisecond early.
 * `periodMs` is the distance between runs, or 0 if no run follows. Pure.
 */
export function isDue({
  ageMs,
  everyMs,
  periodMs,
}: {
  ageMs: number;
  everyMs: number;
  periodMs: number;
}): boolean {
  // A time in the future comes from a wrong clock, so the true age is not known.
  return ageMs < -CLOCK_TOLERANCE_MS || ageMs + Math.min(periodMs, everyMs) / 2 >= everyMs;
}
