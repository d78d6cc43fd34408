import type { NumberBucket, TextBucket } from '../../load/stores/store.ts';
import { isBoolean } from '../../series/primitive-types.ts';
import { type RangeSet, subtract } from '../../series/range.ts';
import type { Range, SeriesPoints } from '../../series/types.ts';

/** A value at an instant in epoch microseconds. Null ends the line. */
export type LinePoint = readonly [at: number, value: number | null];

/** A stretch of time in which a series has one state. Undefined if it changes too often to be shown. */
export interface StateRange extends Range {
  readonly state: string | undefined;
}

/** Makes a line of points. It ends where a gap lies between two points, and where a number is missing. */
export function lineOf({ times, values }: SeriesPoints, unstored: RangeSet): LinePoint[] {
  const line: LinePoint[] = [];
  const breaks = new GapWalk(unstored);
  for (const [k, at] of times.entries()) {
    const cut = breaks.next(at);
    if (cut !== undefined && line.length > 0) line.push([cut, null]);
    line.push([at, values[k] ?? null]);
  }
  return line;
}

/** Places the first, least, greatest and last value of each bucket in this order within the bucket. */
export function lineOfBuckets(
  buckets: readonly NumberBucket[],
  { stepUs, unstored }: { stepUs: number; unstored: RangeSet },
): LinePoint[] {
  const line: LinePoint[] = [];
  const breaks = new GapWalk(unstored);
  const quarter = stepUs / 4;
  for (const { at, count, first, min, max, last } of buckets) {
    const cut = breaks.next(at);
    if (cut !== undefined && line.length > 0) line.push([cut, null]);
    line.push([at, first]);
    if (count > 1)
      line.push(
        [Math.round(at + quarter), min],
        [Math.round(at + 2 * quarter), max],
        [Math.round(at + 3 * quarter), last],
      );
  }
  return line;
}

/** Tells whether a gap begins between an instant and the one before. */
class GapWalk {
  readonly #gaps: RangeSet;
  #next = 0;

  constructor(gaps: RangeSet) {
    this.#gaps = gaps;
  }

  /** Returns the start of the last gap that begins at or before `at` and was not told yet. */
  next(at: number): number | undefined {
    let cut: number | undefined;
    for (
      let gap = this.#gaps[this.#next];
      gap !== undefined && gap.from <= at;
      gap = this.#gaps[this.#next]
    ) {
      cut = gap.from;
      this.#next += 1;
    }
    return cut;
  }
}

/** Makes states of points. A state holds until the next point, a gap, or the end of the range. */
export function statesOf(
  { series, times, values, texts }: SeriesPoints,
  { range, unstored }: { range: Range; unstored: RangeSet },
): StateRange[] {
  const truth = isBoolean(series.primitiveType);
  const stateAt = (k: number) => {
    const value = values[k] ?? null;
    if (value !== null) return truth ? String(value === 1) : String(value);
    return texts[k] ?? '';
  };
  const all = times.map((from, k) => ({ from, to: times[k + 1] ?? range.to, state: stateAt(k) }));
  return joinStates(all, unstored);
}

/** Makes states of buckets. A bucket with several texts is a state that changes often. */
export function statesOfBuckets(
  buckets: readonly TextBucket[],
  { range, stepUs, unstored }: { range: Range; stepUs: number; unstored: RangeSet },
): StateRange[] {
  const all = buckets.flatMap(({ at, distinct, last }, k): StateRange[] => {
    const next = buckets[k + 1]?.at ?? range.to;
    if (distinct === 1) return [{ from: at, to: next, state: last }];
    const end = Math.min(at + stepUs, next);
    const changing = { from: at, to: end, state: undefined };
    // What the bucket ends with holds until the next one.
    return end < next ? [changing, { from: end, to: next, state: last }] : [changing];
  });
  return joinStates(all, unstored);
}

/** Joins equal states that touch, and cuts the gaps out of them. */
export function joinStates(all: readonly StateRange[], gaps: RangeSet): StateRange[] {
  const joined: StateRange[] = [];
  for (const each of all) {
    const last = joined.at(-1);
    if (last !== undefined && last.to === each.from && last.state === each.state)
      joined[joined.length - 1] = { ...last, to: each.to };
    else joined.push(each);
  }
  return joined.flatMap(({ state, ...range }) => subtract([range], gaps).map((rest) => ({ ...rest, state })));
}

/** Returns a bucket of the numbers 0 and 1 as a bucket of the texts `false` and `true`. */
export function truthOf({ at, count, first, last, min, max }: NumberBucket): TextBucket {
  const say = (value: number) => String(value === 1);
  return { at, count, distinct: min === max ? 1 : 2, first: say(first), last: say(last) };
}

/** Counts the points of all buckets. */
export function countOf(buckets: readonly { readonly count: number }[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}
