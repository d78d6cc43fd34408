import type { NumberRows } from '../../series/number-rows.ts';
import type { RangeSet } from '../../series/range.ts';

/** What changed of one series. All ranges are whole hours. */
export interface SeriesChange {
  readonly seriesId: number;
  /** Where points or coverage changed. */
  readonly touched: RangeSet;
  /** The part of it whose points have to be read. */
  readonly reread: RangeSet;
}

/** What changed of some series, each once. */
export interface Changes {
  readonly series: readonly SeriesChange[];
  /** Sums of points that were appended to touched hours, by the hour. */
  readonly pieces: NumberRows;
}
