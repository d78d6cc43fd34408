import type { Range, SeriesPoints } from './types.ts';

/** Times, epoch microseconds ascending, at which what is stored of a series is not what it should be. */
export interface Differences {
  /** Expected, and not stored. */
  readonly missing: number[];
  /** Stored, and not expected: as many as were to be kept. */
  readonly extra: number[];
  /** Further ones, only counted. */
  readonly extraBeyond: number;
  /** Stored with another value, text or quality. */
  readonly different: number[];
  /** Those of `different` where more is stored than expected: a number beside the text, for example. */
  readonly overfull: number[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Compares the points that are expected of one series with those that are stored. These come in parts, ascending over all of them, and
 * none is kept: only the times of differences are, so memory does not grow with what is stored as it should be.
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

  /** `budget.extra` is how many extra times may be kept, by all comparisons that share it: a store may hold any number of them. */
  constructor(expected: SeriesPoints, budget = { extra: Number.POSITIVE_INFINITY }) {
    this.#expected = expected;
    this.#budget = budget;
  }

  /** Takes the next part of what is stored. */
  push(stored: SeriesPoints): void {
    for (const [k, time] of stored.times.entries()) {
      this.#missUntil(time);
      if (this.#expected.times[this.#next] === time) this.#compare(stored, k);
      else this.#noteExtra(time);
    }
  }

  /** Ends the comparison: what has not come by now is missing. */
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
 * The fewest half-open ranges that hold all of `times` and none of `others`; both ascending. Where all is removed that lies in them,
 * nothing else is.
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
