import { intersect, type RangeSet, widthOf } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';

/** Cells of equal width over a view. */
export interface Grid {
  readonly view: Range;
  readonly cells: number;
}

/** Microseconds of one row in each cell, added up over its series. */
export interface CellSums {
  readonly wanted: bigint[];
  readonly missing: bigint[];
  /** What is stored though it is not wanted. */
  readonly kept: bigint[];
}

/** Shares are told in this many steps. */
const STEPS = 10_000n;

/** Makes cells of whole microseconds. The last one may reach a little beyond the range. */
export function gridOf({ from, to }: Range, cells: number): Grid {
  return { view: { from, to: from + Math.ceil((to - from) / cells) * cells }, cells };
}

/** Returns the microseconds of each cell that are in the ranges. */
export function widthsOf({ view, cells }: Grid, ranges: RangeSet): number[] {
  const cellUs = Number(cellUsOf({ view, cells }));
  return Array.from({ length: cells }, (_, k) => {
    const from = view.from + k * cellUs;
    return widthOf(intersect(ranges, [{ from, to: from + cellUs }]));
  });
}

/**
 * Returns a part as a share from 0 to 1. Only a whole is 1, and only nothing is 0: a small gap must show.
 * Returns undefined if there is no whole.
 */
export function shareOf(part: bigint, whole: bigint): number | undefined {
  if (whole <= 0n) return undefined;
  if (part >= whole) return 1;
  if (part <= 0n) return 0;
  const steps = (part * STEPS) / whole;
  return Number(steps === 0n ? 1n : steps) / Number(STEPS);
}

/** Returns the share of the wanted time that is stored, for each cell. Undefined where nothing is wanted. */
export function sharesOf({ wanted, missing }: CellSums): (number | undefined)[] {
  return wanted.map((whole, k) => shareOf(whole - (missing[k] ?? 0n), whole));
}

/**
 * Returns the share of the time that is not wanted and stored all the same, for each cell. `wholeUs` is the
 * time of a cell, added up over the series. Undefined if there is none in any cell.
 */
export function keptOf({ wanted, kept }: CellSums, wholeUs: bigint): number[] | undefined {
  if (kept.every((value) => value === 0n)) return undefined;
  return kept.map((value, k) => shareOf(value, wholeUs - (wanted[k] ?? 0n)) ?? 0);
}

export function cellUsOf({ view, cells }: Grid): bigint {
  return BigInt((view.to - view.from) / cells);
}

export function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
