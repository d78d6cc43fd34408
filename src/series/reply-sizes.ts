import type { Bounds } from './bounds.ts';
import { orderOf, type RowOrder } from './row-order.ts';
import type { RowsBySeries } from './rows.ts';
import type { RawRows } from './types.ts';

/** Size of a reply, in the measures by which a platform might cut it. */
export interface ReplySize {
  /** Rows of all series together. */
  readonly rows: number;
  /** Rows of the largest series. */
  readonly seriesRows: number;
}

/** Sizes of replies that were learnt about one platform's history operation, as the ledger keeps them. */
export interface LearnedSizes {
  /** The largest reply that was proven complete, in each measure. */
  readonly proven: ReplySize & { readonly spanSec: number };
  /** The largest reply ever seen, cut or not: no fixed cap lies below it. */
  readonly seen: ReplySize;
  /** Sizes at which replies were cut at least twice: the platform's hidden caps, if it has any. */
  readonly cap: { readonly rows?: number | undefined; readonly seriesRows?: number | undefined };
  /**
   * True if a reply named a series without rows. A series that a reply leaves out is then not shown to be
   * empty.
   */
  readonly namesEmpty?: true;
  /** How the platform sorts the rows of a series. */
  readonly order?: RowOrder;
}

/**
 * Sizes that are believed of a platform before anything is proven. It does not cut a reply to a single row,
 * and it does not silently shorten a window of a day.
 */
export const FIRST_SIZES: LearnedSizes = {
  proven: { rows: 1, seriesRows: 1, spanSec: 86_400 },
  seen: { rows: 2, seriesRows: 2 },
  cap: {},
};

/** Measures a reply as received. Rows outside the window count, because a platform counts them too. */
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
 * A reply is believed if it is no larger than a proven one, and smaller than the largest reply ever seen. The
 * second condition matters: a cut reply looks like one of exactly the largest size seen.
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

  /**
   * Returns true if a reply of this size is surely complete, for a window of `spanSec` seconds asked with
   * this `limit`.
   */
  trusts(size: ReplySize, spanSec: number, limit: number): boolean {
    return (
      !reachesLimit(size, limit) &&
      spanSec <= this.#learned.proven.spanSec &&
      this.trustsRows(size) &&
      this.trustsSeriesRows(size.seriesRows)
    );
  }

  /** Returns true if the rows of all series together allow that a reply is complete: one part of `trusts`. */
  trustsRows({ rows }: ReplySize): boolean {
    return rows <= this.#learned.proven.rows && rows < this.#learned.seen.rows;
  }

  /** Returns true if the rows of its largest series allow that a reply is complete: one part of `trusts`. */
  trustsSeriesRows(seriesRows: number): boolean {
    return seriesRows <= this.#learned.proven.seriesRows && seriesRows < this.#learned.seen.seriesRows;
  }

  /**
   * Returns how the platform treats the bounds of a request, and remembers it. `find` runs once for each
   * `by`, until it succeeds. The ledger does not keep bounds, so that a mended platform is believed at once.
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

  /**
   * True if a wide window costs no more than a narrow one: the platform ignores bounds, and `offset` reads
   * all rows.
   */
  get readsOn(): boolean {
    return this.#readsOn;
  }

  noteReadsOn(): void {
    this.#readsOn = true;
  }

  /**
   * Notes and returns the order of the rows of a reply. If the reply does not tell an order, that of earlier
   * replies is returned.
   */
  noteOrder(rows: RowsBySeries): RowOrder | undefined {
    const order = orderOf(rows);
    if (order !== undefined && order !== this.#learned.order) this.#learned = { ...this.#learned, order };
    return this.#learned.order;
  }

  /** Notes the size of a reply as seen. Every reply comes here before anything is decided on it. */
  noteSeen(size: ReplySize): void {
    const { seen } = this.#learned;
    this.#learned = { ...this.#learned, seen: largest(seen, size) };
  }

  /** Notes that a reply named a series, and had no rows of it. */
  noteNamesEmpty(): void {
    if (!this.#learned.namesEmpty) this.#learned = { ...this.#learned, namesEmpty: true };
  }

  /**
   * Notes that a reply of this size is proven complete. A cap believed at or below this size is forgotten.
   */
  noteProven(size: ReplySize, spanSec: number): void {
    const { proven, cap } = this.#learned;
    this.#learned = {
      ...this.#learned,
      proven: { ...largest(proven, size), spanSec: Math.max(proven.spanSec, spanSec) },
      cap: { rows: above(cap.rows, size.rows), seriesRows: above(cap.seriesRows, size.seriesRows) },
    };
  }

  /** Notes that a reply of this size was cut. The second cut at the same size makes this size a cap. */
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
 * Returns true if `limit` may have cut the reply. A reply with more rows than `limit` shows that `limit`
 * counts per series or is not honoured. Then the largest series decides.
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
