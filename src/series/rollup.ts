import type { Covered } from './covered.ts';
import type { NumberRows } from './number-rows.ts';
import type { Range } from './types.ts';

/**
 * Columns of rows that hold what some points of one series add up to. The value of a series at an instant is
 * that of the last point until then. Everything between the two must be covered. Where that point has no
 * number, the value is unknown.
 */
export const column = {
  seriesId: 0,
  /** The begin of the bucket that holds the points. */
  bucket: 1,
  count: 2,
  /** The number of points that have a number. */
  valued: 3,
  /** NaN if no point has a number. */
  min: 4,
  max: 5,
  sum: 6,
  firstAt: 7,
  /** The number of the first point. NaN if it has none. */
  first: 8,
  lastAt: 9,
  last: 10,
  /** The integral of the value where the value is known, in value seconds. */
  integral: 11,
  knownSec: 12,
  /** The end of the bucket. Only in a rollup. */
  endsAt: 13,
  /** Only in a rollup. */
  coveredSec: 14,
} as const;

/** Columns of a piece: its integral is known from its first to its last point. */
export const PIECE_COLUMNS = 13;
/** Columns of a rollup: its integral is known over its whole bucket. */
export const ROLLUP_COLUMNS = 15;

/**
 * Adds up points into one piece for each series and bucket. `bucketAt` returns the bucket of an instant.
 * Begin with `begin` for each series, give its points in the order of time, and end with `end`.
 */
export class PieceMaker {
  readonly #pieces: NumberRows;
  readonly #bucketAt: (us: number) => Range;
  #seriesId = 0;
  #covered: Covered | undefined;
  #bucket: Range = { from: 0, to: 0 };
  #count = 0;
  #valued = 0;
  #min = Number.NaN;
  #max = Number.NaN;
  #sum = 0;
  #firstAt = 0;
  #first = Number.NaN;
  #lastAt = 0;
  #last = Number.NaN;
  #coveredTo = 0;
  #integral = 0;
  #knownSec = 0;

  constructor(pieces: NumberRows, bucketAt: (us: number) => Range) {
    this.#pieces = pieces;
    this.#bucketAt = bucketAt;
  }

  /** @param covered what is covered of the series, or undefined if all between its points is */
  begin(seriesId: number, covered: Covered | undefined): void {
    this.end();
    this.#seriesId = seriesId;
    this.#covered = covered;
    this.#coveredTo = covered === undefined ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** @param value the number of the point, or NaN if it has none */
  add(at: number, value: number): void {
    if (this.#count === 0 || at >= this.#bucket.to) this.#open(at, value);
    else if (!Number.isNaN(this.#last)) this.#extend(at);
    this.#count += 1;
    this.#lastAt = at;
    this.#last = value;
    if (Number.isNaN(value)) return;
    if (!(value >= this.#min)) this.#min = value;
    if (!(value <= this.#max)) this.#max = value;
    this.#valued += 1;
    this.#sum += value;
  }

  /** Adds the last piece, after the last point. */
  end(): void {
    if (this.#count === 0) return;
    const pieces = this.#pieces;
    const row = pieces.add();
    pieces.set(row, column.seriesId, this.#seriesId);
    pieces.set(row, column.bucket, this.#bucket.from);
    pieces.set(row, column.count, this.#count);
    pieces.set(row, column.valued, this.#valued);
    pieces.set(row, column.min, this.#min);
    pieces.set(row, column.max, this.#max);
    pieces.set(row, column.sum, this.#sum);
    pieces.set(row, column.firstAt, this.#firstAt);
    pieces.set(row, column.first, this.#first);
    pieces.set(row, column.lastAt, this.#lastAt);
    pieces.set(row, column.last, this.#last);
    pieces.set(row, column.integral, this.#integral);
    pieces.set(row, column.knownSec, this.#knownSec);
    this.#count = 0;
  }

  #open(at: number, value: number): void {
    this.end();
    this.#bucket = this.#bucketAt(at);
    this.#valued = 0;
    this.#min = Number.NaN;
    this.#max = Number.NaN;
    this.#sum = 0;
    this.#firstAt = at;
    this.#first = value;
    this.#integral = 0;
    this.#knownSec = 0;
  }

  /** Lets the number of the last point last until the next one, as far as that is covered. */
  #extend(at: number): void {
    if (this.#covered !== undefined && (this.#lastAt >= this.#coveredTo || at > this.#coveredTo))
      this.#coveredTo = this.#covered.endAfter(this.#lastAt);
    const sec = (Math.min(at, this.#coveredTo) - this.#lastAt) / 1e6;
    this.#integral += this.#last * sec;
    this.#knownSec += sec;
  }
}
