import { placeFrom } from '../signals/place-from.ts';
import type { Points, Signal } from '../signals/signal.ts';
import type { Value } from '../values.ts';

/**
 * The packed cells of a column, ascending in time. A million rows take 16 megabytes, or 8 if columns share
 * their times.
 */
export interface PackedCells {
  readonly times: Float64Array;
  /** The numbers of the column, or places in `texts`. */
  readonly numbers: Float64Array;
  readonly texts: readonly Value[] | undefined;
}

/** Makes the signal of a column that was read from a file. */
export function columnSignal({ times, numbers, texts }: PackedCells): Signal {
  const slice = (from: number, to: number): Points => {
    const points: Points = { times: [], values: [] };
    for (let place = from; place < to; place += 1) {
      const number = numbers[place] ?? 0;
      points.times.push(times[place] ?? 0);
      points.values.push(texts ? (texts[number] ?? '') : number);
    }
    return points;
  };
  return {
    read(fromMs, toMs, max) {
      const from = placeFrom(times, fromMs);
      return slice(from, Math.min(placeFrom(times, toMs), from + max));
    },
    readLast(fromMs, toMs, count) {
      const to = placeFrom(times, toMs);
      return slice(Math.max(placeFrom(times, fromMs), to - count), to);
    },
  };
}
