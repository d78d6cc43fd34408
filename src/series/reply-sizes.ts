import type { Bounds } from './bounds.ts';
import { orderOf, type RowOrder } from './row-order.ts';
import type { RowsBySeries } from './rows.ts';
import type { RawRows } from './types.ts';

/** How large a reply is, in the measures by which a platform might cut it. */
export interface ReplySize {
  /** Rows of all series together. */
  readonly rows: number;
  /** Rows of the largest series. */
  readonly seriesRows: number;
}

/** What was learnt about one platform's history operation, as it is kept in the ledger. */
export interface LearnedSizes {
  /** The largest reply that dividing its window showed to be complete. */
  readonly proven: ReplySize & { readonly spanSec: number };
  /** The largest reply seen at all, cut or not: no fixed cap lies below it. */
  readonly seen: ReplySize;
  /** Sizes at which replies were cut at least twice: the platform's hidden caps, if it has any. */
  readonly cap: { readonly rows?: number | undefined; readonly seriesRows?: number | undefined };
  /** It was seen to name a series that had no rows: one that it leaves out is then not shown to have none. */
  readonly namesEmpty?: true;
  /** How it sorts the rows of a series. */
  readonly order?: RowOrder;
}

/**
 * What a platform is believed before anything was proven: that it does not cut a reply to a single row, and that
 * it does not silently shorten a window of a day.
 */
export const FIRST_SIZES: LearnedSizes = {
  proven: { rows: 1, seriesRows: 1, spanSec: 86_400 },
  seen: { rows: 2, seriesRows: 2 },
  cap: {},
};

/** Measures a reply as received, rows outside the window included: a platform counts them too. */
export function sizeOf(rows: ReadonlyMap<number, RawRows>): ReplySize {
  let all = 0;
  let largest = 0;
  for (const { times } of rows.values()) {
    all += times.length;
    if (times.length > largest) largest = times.length;
  }
  return { rows: all, seriesRows: largest };
}

/**
 * Decides which replies of the history operation may be believed to be complete.
 *
 * A reply is believed if it is no larger than one that was proven complete and smaller than the largest reply ever
 * seen. The second condition matters: a reply of exactly the largest size seen is what a cut one looks like.
 */
export class ReplySizes {
  #learned: LearnedSizes;
  readonly #bounds = new Map<string, Promise<Bounds>>();
  #readsOn = false;
  readonly #cuts = { rows: new Map<number, number>(), seriesRows: new Map<number, number>() };

  constructor(learned: LearnedSizes = FIRST_SIZES) {
    this.#learned = learned;
  }

  get learned(): LearnedSizes {
    return this.#learned;
  }

  /** True if a reply of this size, to a window of this many seconds asked with this `limit`, is surely complete. */
  trusts(size: ReplySize, spanSec: number, limit: number): boolean {
    return (
      !reachesLimit(size, limit) &&
      spanSec <= this.#learned.proven.spanSec &&
      this.trustsRows(size) &&
      this.trustsSeriesRows(size.seriesRows)
    );
  }

  /** The part of `trusts` that concerns the rows of all series together. */
  trustsRows({ rows }: ReplySize): boolean {
    return rows <= this.#learned.proven.rows && rows < this.#learned.seen.rows;
  }

  /** The part of `trusts` that concerns the rows of one series. */
  trustsSeriesRows(seriesRows: number): boolean {
    return seriesRows <= this.#learned.proven.seriesRows && seriesRows < this.#learned.seen.seriesRows;
  }

  /**
   * Remembers how the platform treats the bounds of a request. `find` finds it out, once by one row and once by
   * several. The ledger does not keep it, so that a platform that is mended is believed at once.
   */
  learnBounds(by: 'one row' | 'several rows', find: () => Promise<Bounds>): Promise<Bounds> {
    const known = this.#bounds.get(by);
    if (known !== undefined) return known;
    const bounds = find().catch((error: unknown) => {
      this.#bounds.delete(by);
      throw error;
    });
    this.#bounds.set(by, bounds);
    return bounds;
  }

  /** True if a wide window costs no more than a narrow one: bounds are ignored, and `offset` reads all rows. */
  get readsOn(): boolean {
    return this.#readsOn;
  }

  noteReadsOn(): void {
    this.#readsOn = true;
  }

  /** Notes and returns the order of a reply. If the reply does not tell it, the order of earlier ones is returned. */
  noteOrder(rows: RowsBySeries): RowOrder | undefined {
    const order = orderOf(rows);
    if (order !== undefined && order !== this.#learned.order) this.#learned = { ...this.#learned, order };
    return this.#learned.order;
  }

  /** Every reply is shown here first. */
  noteSeen(size: ReplySize): void {
    const { seen } = this.#learned;
    this.#learned = { ...this.#learned, seen: largest(seen, size) };
  }

  /** The reply named a series, and had no rows of it. */
  noteNamesEmpty(): void {
    if (!this.#learned.namesEmpty) this.#learned = { ...this.#learned, namesEmpty: true };
  }

  /** A reply of this size turned out to be complete. A cap believed at or below it is forgotten. */
  noteProven(size: ReplySize, spanSec: number): void {
    const { proven, cap } = this.#learned;
    this.#learned = {
      ...this.#learned,
      proven: { ...largest(proven, size), spanSec: Math.max(proven.spanSec, spanSec) },
      cap: { rows: above(cap.rows, size.rows), seriesRows: above(cap.seriesRows, size.seriesRows) },
    };
  }

  /** A reply of this size turned out to be cut. The second cut at one size makes it a cap. */
  noteCut(size: ReplySize): void {
    const { cap } = this.#learned;
    this.#learned = {
      ...this.#learned,
      cap: {
        rows: learnCap(this.#cuts.rows, size.rows, cap.rows),
        seriesRows: learnCap(this.#cuts.seriesRows, size.seriesRows, cap.seriesRows),
      },
    };
  }
}

/**
 * True if `limit` may have cut the reply. More rows than `limit` in all say that it counts per series (or is not
 * honoured), so then the largest series is what matters.
 */
export function reachesLimit(size: ReplySize, limit: number): boolean {
  return size.rows > limit ? size.seriesRows >= limit : size.rows === limit;
}

function largest(a: ReplySize, b: ReplySize): ReplySize {
  return { rows: Math.max(a.rows, b.rows), seriesRows: Math.max(a.seriesRows, b.seriesRows) };
}

function above(cap: number | undefined, provenRows: number): number | undefined {
  return cap !== undefined && cap > provenRows ? cap : undefined;
}

function learnCap(cuts: Map<number, number>, rows: number, known: number | undefined): number | undefined {
  const times = (cuts.get(rows) ?? 0) + 1;
  cuts.set(rows, times);
  return times < 2 ? known : Math.min(rows, known ?? rows);
}
