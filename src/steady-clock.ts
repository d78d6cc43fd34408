/**
 * Returns the milliseconds of a clock that nobody sets. Ages and waits within one process are measured by
 * this clock. A correction of the wall clock would make them too long or too short.
 */
export function steadyMs(): number {
  return performance.now();
}
