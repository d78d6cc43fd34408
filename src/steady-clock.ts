/**
 * Milliseconds of a clock that nobody sets. Ages and waits within one process go by it: by the clock on the wall they would last for as
 * long as that was wrong, once somebody has put it right.
 */
export function steadyMs(): number {
  return performance.now();
}
