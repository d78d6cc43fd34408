import type { Range } from './types.ts';

/** Functions that the platform can apply to the values of a bucket. */
export const aggregateFunctions = ['mean', 'sum', 'max', 'min', 'first', 'last'] as const;
export type AggregateFunction = (typeof aggregateFunctions)[number];

/** One function over buckets of equal length; they begin at whole multiples of it since 1970, in UTC. */
export interface Aggregate {
  readonly periodSec: number;
  readonly fn: AggregateFunction;
}

/** Raw history, or one aggregate of it: what has a coverage, a table and a measurement of its own. */
export interface HistoryStream {
  /** In the ledger: `history`, `history/300s/mean`. */
  readonly name: string;
  /** Ranges of it begin and end at whole multiples of so many seconds: a second, or a bucket. */
  readonly stepSec: number;
  readonly aggregate?: Aggregate;
}

/** Stream name of raw history in the ledger. */
export const HISTORY = 'history';

export const rawHistory: HistoryStream = { name: HISTORY, stepSec: 1 };

export function aggregateStream(aggregate: Aggregate): HistoryStream {
  const { periodSec, fn } = aggregate;
  return { name: `${HISTORY}/${periodSec}s/${fn}`, stepSec: periodSec, aggregate };
}

/** The stream of a name in the ledger; undefined if it is none of history. */
export function parseHistoryStream(name: string): HistoryStream | undefined {
  if (name === HISTORY) return rawHistory;
  const [, period, fn] = /^history\/([1-9]\d*)s\/(\w+)$/.exec(name) ?? [];
  const known = aggregateFunctions.find((each) => each === fn);
  return known && aggregateStream({ periodSec: Number(period), fn: known });
}

/** The last multiple of so many seconds that is not after the instant (epoch microseconds). */
export function alignDown(micros: number, stepSec: number): number {
  return Math.floor(micros / (stepSec * 1e6)) * stepSec * 1e6;
}

/** The first multiple of so many seconds that is not before the instant (epoch microseconds). */
export function alignUp(micros: number, stepSec: number): number {
  return Math.ceil(micros / (stepSec * 1e6)) * stepSec * 1e6;
}

/** The smallest range of whole steps that holds the given one. */
export function alignOutwards({ from, to }: Range, stepSec: number): Range {
  return { from: alignDown(from, stepSec), to: alignUp(to, stepSec) };
}
