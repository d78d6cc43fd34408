import type { Range } from './types.ts';

/** Functions that the platform can apply to the values of a bucket. */
export const aggregateFunctions = ['mean', 'sum', 'max', 'min', 'first', 'last'] as const;
export type AggregateFunction = (typeof aggregateFunctions)[number];

/**
 * One function over buckets of equal length. Buckets begin at whole multiples of their length since 1970, in
 * UTC.
 */
export interface Aggregate {
  readonly periodSec: number;
  readonly fn: AggregateFunction;
}

/**
 * Raw history or one aggregate of history. Each history stream has its own coverage, table and measurement.
 */
export interface HistoryStream {
  /** Name of the stream in the ledger: `history`, or `history/300s/mean` for an aggregate. */
  readonly name: string;
  /**
   * Ranges of the stream begin and end at whole multiples of this step: one second, or the length of a
   * bucket.
   */
  readonly stepSec: number;
  readonly aggregate?: Aggregate;
}

/** Name of the stream of raw history in the ledger. */
export const HISTORY = 'history';

export const rawHistory: HistoryStream = { name: HISTORY, stepSec: 1 };

/** Returns the history stream of an aggregate. */
export function aggregateStream(aggregate: Aggregate): HistoryStream {
  const { periodSec, fn } = aggregate;
  return { name: `${HISTORY}/${periodSec}s/${fn}`, stepSec: periodSec, aggregate };
}

/**
 * Returns the history stream that has this name in the ledger. Returns undefined if the name is of another
 * stream.
 */
export function parseHistoryStream(name: string): HistoryStream | undefined {
  if (name === HISTORY) return rawHistory;
  const [, period, fn] = /^history\/([1-9]\d*)s\/(\w+)$/.exec(name) ?? [];
  const known = aggregateFunctions.find((each) => each === fn);
  return known && aggregateStream({ periodSec: Number(period), fn: known });
}

/** Returns the last multiple of a step that is not after an instant (epoch microseconds). */
export function alignDown(micros: number, stepSec: number): number {
  return Math.floor(micros / (stepSec * 1e6)) * stepSec * 1e6;
}

/** Returns the first multiple of a step that is not before an instant (epoch microseconds). */
export function alignUp(micros: number, stepSec: number): number {
  return Math.ceil(micros / (stepSec * 1e6)) * stepSec * 1e6;
}

/** Returns the smallest range of whole steps that holds the given range. */
export function alignOutwards({ from, to }: Range, stepSec: number): Range {
  return { from: alignDown(from, stepSec), to: alignUp(to, stepSec) };
}
