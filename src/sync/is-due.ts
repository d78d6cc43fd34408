/**
 * Whether something that is done again at a certain age is to be done at this run, or better at the next one: whichever of the two is
 * nearer to that age. A run never comes at the very same distance: without this, one a millisecond early waits for another period.
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
  return ageMs + Math.min(periodMs, everyMs) / 2 >= everyMs;
}
