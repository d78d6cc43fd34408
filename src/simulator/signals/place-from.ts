/** The first place of ascending times that is not before an instant; the length if all are. */
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
