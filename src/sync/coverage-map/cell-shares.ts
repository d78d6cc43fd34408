import { intersect, type RangeSet, widthOf } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';

/** Cells of equal width over a view. */
export interface Grid {
  readonly view: Range;
  readonly cells: number;
}

/** Microseconds of one row in each cell, added up over its series. */
export interface CellSums {
  readonly wanted: Float64Array;
  readonly missing: Float64Array;
  /** What is stored though it is not wanted. */
  readonly kept: Float64Array;
}

/** Shares are told in this many steps. */
const STEPS = 10_000;
/**
 * Sums of more than 285 years are not exact. Two of them are equal if they differ by less than this share.
 */
const TOLERANCE = 1e-12;

/** Makes cells of whole microseconds. The last one may reach a little beyond the range. */
export function gridOf({ from, to }: Range, cells: number): Grid {
  return { view: { from, to: from + Math.ceil((to - from) / cells) * cells }, cells };
}

/** Returns the microseconds of each cell that are in the ranges. */
export function widthsOf(grid: Grid, ranges: RangeSet): Float64Array {
  const cellUs = cellUsOf(grid);
  return Float64Array.from({ length: grid.cells }, (_, k) => {
    const from = grid.view.from + k * cellUs;
    return widthOf(intersect(ranges, [{ from, to: from + cellUs }]));
  });
}

/**
 * Returns a part as a share from 0 to 1. Only a whole is 1, and only nothing is 0: a small gap must show.
 * Returns undefined if there is no whole.
 */
export function shareOf(part: number, whole: number): number | undefined {
  if (whole <= 0) return undefined;
  if (whole - part <= whole * TOLERANCE) return 1;
  if (part <= whole * TOLERANCE) return 0;
  return Math.min(STEPS - 1, Math.max(1, Math.floor((part / whole) * STEPS))) / STEPS;
}

/** Returns the share of the wanted time that is stored, for each cell. Undefined where nothing is wanted. */
export function sharesOf({ wanted, missing }: CellSums): (number | undefined)[] {
  return Array.from(wanted, (whole, k) => shareOf(whole - (missing[k] ?? 0), whole));
}

/**
 * Returns the share of the time that is not wanted and stored all the same, for each cell. `wholeUs` is the
 * time of a cell, added up over the series. Undefined if there is none in any cell.
 */
export function keptOf({ wanted, kept }: CellSums, wholeUs: number): number[] | undefined {
  if (kept.every((value) => value === 0)) return undefined;
  return Array.from(kept, (value, k) => shareOf(value, wholeUs - (wanted[k] ?? 0)) ?? 0);
}

export function cellUsOf({ view, cells }: Grid): number {
  return (view.to - view.from) / cells;
}

export function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
