/**
 * Finds the first place of ascending times that is not before an instant. Returns the length if all are
 * before it.
 */
export function placeFrom(times: ArrayLike<number>, timeMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) >= timeMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
