/** What keeps the time of a run may be so far ahead of who asks. */
const CLOCK_TOLERANCE_MS = 120_000;

/**
 * Tells whether work that is repeated at an age of `everyMs` is due at this run, and not better left for the next.
 * The run that is nearer to that age does the work: runs a millisecond early would otherwise wait for another period.
 * `periodMs` is the distance between runs, 0 if there is no next one. Pure.
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
  // What was done in the future was dated by a wrong clock: when it was done is not known.
  return ageMs < -CLOCK_TOLERANCE_MS || ageMs + Math.min(periodMs, everyMs) / 2 >= everyMs;
}
