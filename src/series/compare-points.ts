import type { Range, SeriesPoints } from './types.ts';

/**
 * Times (epoch microseconds, ascending) at which the stored points of a series differ from the expected
 * points.
 */
export interface Differences {
  /** Times of points that are expected and not stored. */
  readonly missing: number[];
  /** Times of points that are stored and not expected, as many as the budget lets keep. */
  readonly extra: number[];
  /** Number of further extra points, whose times are not kept. */
  readonly extraBeyond: number;
  /** Times of points that are stored with another value, text or quality. */
  readonly different: number[];
  /**
   * The times of `different` at which more is stored than expected: a number besides the text, for example.
   */
  readonly overfull: number[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Compares the expected points of one series with the stored points. Stored points come in parts, with times
 * that ascend over all parts. Only the times of differences are kept, so memory does not grow with points
 * that are stored correctly.
 */
export class PointComparison {
  readonly #expected: SeriesPoints;
  readonly #budget: { extra: number };
  readonly #found = {
    missing: [],
    extra: [],
    extraBeyond: 0,
    different: [],
    overfull: [],
  } as Mutable<Differences>;
  #next = 0;

  /**
   * Begins a comparison. `budget.extra` is how many extra times all comparisons with this budget may keep
   * together, because a store may hold any number of extra points.
   */
  constructor(expected: SeriesPoints, budget = { extra: Number.POSITIVE_INFINITY }) {
    this.#expected = expected;
    this.#budget = budget;
  }

  /** Compares the next part of the stored points. */
  push(stored: SeriesPoints): void {
    for (const [k, time] of stored.times.entries()) {
      this.#missUntil(time);
      if (this.#expected.times[this.#next] === time) this.#compare(stored, k);
      else this.#noteExtra(time);
    }
  }

  /**
   * Ends the comparison and returns the differences: an expected point that has not come by now is missing.
   */
  finish(): Differences {
    this.#missUntil(Number.POSITIVE_INFINITY);
    return this.#found;
  }

  #noteExtra(time: number): void {
    this.#budget.extra -= 1;
    if (this.#budget.extra >= 0) this.#found.extra.push(time);
    else this.#found.extraBeyond += 1;
  }

  #missUntil(time: number): void {
    const { times } = this.#expected;
    for (let next = times[this.#next]; next !== undefined && next < time; next = times[this.#next]) {
      this.#found.missing.push(next);
      this.#next += 1;
    }
  }

  #compare(stored: SeriesPoints, k: number): void {
    const { times, values, texts, qualities } = this.#expected;
    const i = this.#next;
    this.#next += 1;
    const [value, text] = [stored.values[k], stored.texts[k]];
    if (value === values[i] && text === texts[i] && stored.qualities[k] === qualities[i]) return;
    this.#found.different.push(times[i] as number);
    const isOverfull = (value !== null && values[i] === null) || (text !== null && texts[i] === null);
    if (isOverfull) this.#found.overfull.push(times[i] as number);
  }
}

/**
 * Returns the fewest half-open ranges that hold all of `times` and none of `others` (both ascending).
 * Removing these ranges from a store therefore removes no other point.
 */
export function rangesAround(times: readonly number[], others: readonly number[]): Range[] {
  const ranges: Range[] = [];
  let next = 0;
  for (const time of times) {
    const last = ranges.at(-1);
    const before = next;
    while (next < others.length && (others[next] as number) < time) next += 1;
    if (last !== undefined && next === before) ranges[ranges.length - 1] = { from: last.from, to: time + 1 };
    else ranges.push({ from: time, to: time + 1 });
  }
  return ranges;
}
