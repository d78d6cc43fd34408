import type { Range } from './types.ts';

/**
 * What some points of one series add up to. The value of a series at an instant is that of the last point
 * until then. Everything between the two must be covered. Where that point has no number, the value
 * is unknown.
 */
export interface Piece {
  /** The stretch over which the integral is known: from the first to the last point, or a whole bucket. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The number of points that have a number. */
  readonly valued: number;
  /** Null if no point has a number. */
  readonly min: number | null;
  readonly max: number | null;
  readonly sum: number;
  readonly firstAt: number;
  /** The number of the first point. Null if it has none. */
  readonly first: number | null;
  readonly lastAt: number;
  readonly last: number | null;
  /** The integral of the value over the stretch, where the value is known, in value seconds. */
  readonly integral: number;
  readonly knownSec: number;
}

/** The rollup of a bucket. Its stretch is the whole bucket. */
export interface Rollup extends Piece {
  readonly coveredSec: number;
}

/** A point before a bucket, whose value may last into the bucket. */
export interface Carried {
  readonly at: number;
  readonly value: number | null;
}

/** What is covered of one series. Questions in the order of time cost the least. */
export class Covered {
  readonly #ranges: readonly Range[];
  #k = 0;

  /** @param ranges ascending and disjoint */
  constructor(ranges: readonly Range[]) {
    this.#ranges = ranges;
  }

  /** Returns how far everything from an instant on is covered. Returns the instant itself if it is not. */
  endAfter(at: number): number {
    const range = this.#seek(at);
    return range !== undefined && range.from <= at ? range.to : at;
  }

  /** Returns the seconds of a range that are covered. */
  secondsIn({ from, to }: Range): number {
    let us = 0;
    this.#seek(from);
    for (let k = this.#k; k < this.#ranges.length; k += 1) {
      const range = this.#ranges[k] as Range;
      if (range.from >= to) break;
      us += Math.min(to, range.to) - Math.max(from, range.from);
    }
    return us / 1e6;
  }

  /** Finds the first range that ends after an instant. */
  #seek(at: number): Range | undefined {
    const ranges = this.#ranges;
    while (this.#k > 0 && (ranges[this.#k - 1] as Range).to > at) this.#k -= 1;
    while (this.#k < ranges.length && (ranges[this.#k] as Range).to <= at) this.#k += 1;
    return ranges[this.#k];
  }
}

/**
 * Adds up the points of one series, given in the order of time, into one piece for each bucket. `bucketAt`
 * returns the bucket of an instant, and `take` gets each piece with its bucket.
 */
export class PieceMaker {
  readonly #bucketAt: (us: number) => Range;
  readonly #take: (piece: Piece, bucket: Range) => void;
  readonly #covered: Covered;
  #bucket: Range = { from: 0, to: 0 };
  #count = 0;
  #valued = 0;
  #min = 0;
  #max = 0;
  #sum = 0;
  #firstAt = 0;
  #first: number | null = null;
  #lastAt = 0;
  #last: number | null = null;
  #coveredTo = 0;
  #integral = 0;
  #knownSec = 0;

  constructor(
    covered: Covered,
    bucketAt: (us: number) => Range,
    take: (piece: Piece, bucket: Range) => void,
  ) {
    this.#covered = covered;
    this.#bucketAt = bucketAt;
    this.#take = take;
  }

  add(at: number, value: number | null): void {
    if (this.#count === 0 || at >= this.#bucket.to) this.#open(at, value);
    else if (this.#last !== null) this.#extend(at, this.#last);
    this.#count += 1;
    this.#lastAt = at;
    this.#last = value;
    if (value === null) return;
    if (this.#valued === 0 || value < this.#min) this.#min = value;
    if (this.#valued === 0 || value > this.#max) this.#max = value;
    this.#valued += 1;
    this.#sum += value;
  }

  /** Gives the last piece, after the last point. */
  end(): void {
    if (this.#count === 0) return;
    const isValued = this.#valued > 0;
    const piece = {
      from: this.#firstAt,
      to: this.#lastAt,
      count: this.#count,
      valued: this.#valued,
      min: isValued ? this.#min : null,
      max: isValued ? this.#max : null,
      sum: this.#sum,
      firstAt: this.#firstAt,
      first: this.#first,
      lastAt: this.#lastAt,
      last: this.#last,
      integral: this.#integral,
      knownSec: this.#knownSec,
    };
    this.#count = 0;
    this.#take(piece, this.#bucket);
  }

  #open(at: number, value: number | null): void {
    this.end();
    this.#bucket = this.#bucketAt(at);
    this.#valued = 0;
    this.#sum = 0;
    this.#firstAt = at;
    this.#first = value;
    this.#integral = 0;
    this.#knownSec = 0;
  }

  /** Lets the number of the last point last until the next one, as far as that is covered. */
  #extend(at: number, value: number): void {
    if (this.#lastAt >= this.#coveredTo || at > this.#coveredTo)
      this.#coveredTo = this.#covered.endAfter(this.#lastAt);
    const sec = (Math.min(at, this.#coveredTo) - this.#lastAt) / 1e6;
    this.#integral += value * sec;
    this.#knownSec += sec;
  }
}

/**
 * Makes the rollup of a bucket from the pieces in it, in the order of time. `carried` is the last point
 * before the bucket. Returns undefined if there is no piece.
 */
export function rollUp(
  pieces: readonly Piece[],
  { bucket, covered, carried }: { bucket: Range; covered: Covered; carried: Carried | undefined },
): Rollup | undefined {
  const [head] = pieces;
  const tail = pieces.at(-1);
  if (head === undefined || tail === undefined) return undefined;
  let count = 0;
  let valued = 0;
  let min: number | null = null;
  let max: number | null = null;
  let sum = 0;
  let integral = 0;
  let knownSec = 0;
  let before = carried;
  let from = bucket.from;
  const last = (to: number): void => {
    if (before === undefined || before.value === null) return;
    const sec = (Math.min(to, covered.endAfter(before.at)) - from) / 1e6;
    if (sec <= 0) return;
    integral += before.value * sec;
    knownSec += sec;
  };
  for (const piece of pieces) {
    last(piece.from);
    count += piece.count;
    valued += piece.valued;
    if (piece.min !== null && (min === null || piece.min < min)) min = piece.min;
    if (piece.max !== null && (max === null || piece.max > max)) max = piece.max;
    sum += piece.sum;
    integral += piece.integral;
    knownSec += piece.knownSec;
    before = { at: piece.lastAt, value: piece.last };
    from = piece.to;
  }
  last(bucket.to);
  return {
    from: bucket.from,
    to: bucket.to,
    count,
    valued,
    min,
    max,
    sum,
    firstAt: head.firstAt,
    first: head.first,
    lastAt: tail.lastAt,
    last: tail.last,
    integral,
    knownSec,
    coveredSec: covered.secondsIn(bucket),
  };
}
