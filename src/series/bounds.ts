import { PlantsyncError } from '../errors.ts';
import { alignDown } from './history-stream.ts';
import { formatInstant } from './instant.ts';
import { isAscending, type RowOrder } from './row-order.ts';
import { countRows, type RowsBySeries } from './rows.ts';
import { type Series, seriesName } from './types.ts';
import { rangeOf, type Window } from './window.ts';

/** What probes showed about a platform whose replies hold rows outside of what was asked for. */
export interface Bounds {
  readonly ignoresGe: boolean;
  readonly ignoresLt: boolean;
  /** What a short `limit` leaves out is the last of the platform's order: a reply begins where the request does. */
  readonly cutsAtEnd: boolean;
  /** The time of a row that came was asked for, and had no row: times of replies are other ones than times of requests. */
  readonly isShifted: boolean;
}

/** True for a platform that only sends more than was asked for. */
export function keepsBounds({ ignoresGe, ignoresLt, isShifted }: Bounds): boolean {
  return !ignoresGe && !ignoresLt && !isShifted;
}

/** Rows of one series that lie outside of the window that was asked for. */
export interface Outside {
  readonly series: Series;
  /** Of all its rows in the reply. */
  readonly times: readonly number[];
  readonly before: number;
  readonly after: number;
}

/** No reply is believed that ends a stream: the sentence names what the platform ignores. */
export class UnprovenHistory extends PlantsyncError {
  override readonly name = 'UnprovenHistory';
}

/** Asks for a window only to see what comes; undefined where the platform refuses such a request. */
export type Probe = (window: Window, limit?: number) => Promise<RowsBySeries | undefined>;

/** No plant has data here, so that an honest reply is empty. */
const FAR_PAST_SEC = Date.UTC(1971, 0, 1) / 1000;
const FAR_FUTURE_SEC = Date.UTC(2100, 0, 1) / 1000;
/** Few rows are enough to see that there are any, and which of them a `limit` leaves. */
const PROBE_LIMIT = 10;
/** One row at each side may be the last value before the window, and the first after it. */
const SUSPICIOUS_ROWS = 2;

/**
 * The series of a reply with the most rows on one side of a window, by more than so many seconds; of several, one that has none within.
 * Undefined if there are no such rows.
 */
export function findOutside(
  window: Window,
  rows: RowsBySeries,
  slackSec = window.stepSec ?? 1,
): Outside | undefined {
  const { from, to } = rangeOf(window);
  const slack = slackSec * 1e6;
  let found: Outside | undefined;
  for (const series of window.series) {
    const { times } = rows.get(series.id) ?? { times: [] };
    let before = 0;
    let after = 0;
    for (const time of times) {
      if (time < from - slack) before += 1;
      else if (time >= to + slack) after += 1;
    }
    const outside = { series, times, before, after };
    if (before + after > 0 && (found === undefined || weightOf(outside) > weightOf(found))) found = outside;
  }
  return found;
}

/** True for rows that no platform sends which keeps bounds strictly: two or more of one series on one side. */
export function isSuspicious({ before, after }: Outside): boolean {
  return Math.max(before, after) >= SUSPICIOUS_ROWS;
}

/** True if a series has rows, but none near the window. */
export function isElsewhere({ times, before, after }: Outside): boolean {
  return before + after === times.length;
}

function weightOf(outside: Outside): number {
  return 2 * Math.max(outside.before, outside.after) + (isElsewhere(outside) ? 1 : 0);
}

/** Finds out how a platform treats bounds, by two or three requests. Throws if one of them fails otherwise than by a refusal. */
export async function probeBounds(window: Window, outside: Outside, probe: Probe): Promise<Bounds> {
  const { series, times } = outside;
  const past = stepAt(window, series, FAR_PAST_SEC);
  const future = stepAt(window, series, FAR_FUTURE_SEC);
  const fromPast = await probe(past, PROBE_LIMIT);
  const fromFuture = await probe(future, PROBE_LIMIT);
  // Where the platform refuses such times, the reply in hand is all that is known.
  const afterPast = (fromPast ? findOutside(past, fromPast) : outside)?.after ?? 0;
  const beforeFuture = (fromFuture ? findOutside(future, fromFuture) : outside)?.before ?? 0;
  const ignoresLt = afterPast >= SUSPICIOUS_ROWS;
  const ignoresGe = beforeFuture >= SUSPICIOUS_ROWS;
  const oldest = fromPast?.get(series.id)?.times ?? [];
  const newest = fromFuture?.get(series.id)?.times ?? [];
  const cutsAtEnd = ignoresLt
    ? oldest.length > 0 && largestOf(oldest) < largestOf(times)
    : newest.length > 0 && smallestOf(newest) > smallestOf(times);
  if (!ignoresGe && !ignoresLt) return probeTimes(window, outside, probe);
  return { ignoresGe, ignoresLt, cutsAtEnd, isShifted: false };
}

/** Finds out by one request whether a platform has a row where it said that one is; it is taken to keep bounds. */
export async function probeTimes(window: Window, { series, times }: Outside, probe: Probe): Promise<Bounds> {
  const { from, to } = rangeOf(window);
  const middle = (from + to) / 2;
  const farthest = times.reduce(
    (far, time) => (Math.abs(time - middle) > Math.abs(far - middle) ? time : far),
    middle,
  );
  const step = stepAt(window, series, farthest / 1e6);
  const found = (await probe(step)) ?? new Map();
  const elsewhere = findOutside(step, found);
  const isShifted = countRows(found) === 0 || (elsewhere !== undefined && isElsewhere(elsewhere));
  return { ignoresGe: false, ignoresLt: false, cutsAtEnd: false, isShifted };
}

/**
 * The series of a window of which a reply is complete although a bound is ignored. A reply is a piece of what the platform has of a series,
 * in order of time. It holds all of the window if it begins before and ends after it, or begins at a bound that is kept.
 */
export function findProven(
  { rows, order, bounds }: { rows: RowsBySeries; order: RowOrder | undefined; bounds: Bounds },
  window: Window,
): Series[] {
  const { from, to } = rangeOf(window);
  const beginsAt = (kept: boolean, needed: RowOrder) => kept && bounds.cutsAtEnd && order === needed;
  const beginsAtGe = beginsAt(!bounds.ignoresGe, 'oldest first');
  const beginsAtLt = beginsAt(!bounds.ignoresLt, 'newest first');
  return window.series.filter(({ id }) => {
    const { times } = rows.get(id) ?? { times: [] };
    if (!isAscending(times)) return false;
    const { length } = times;
    const beginsBefore = length > 0 && (times[SUSPICIOUS_ROWS - 1] ?? to) < from;
    const endsAfter = length > 0 && (times[length - SUSPICIOUS_ROWS] ?? from) >= to;
    return (beginsBefore || beginsAtGe) && (endsAfter || beginsAtLt);
  });
}

/** Says why nothing more is read, and what to do. */
export function describeBounds(window: Window, { series, times }: Outside, bounds: Bounds): UnprovenHistory {
  const { from, to } = rangeOf(window);
  const asked = `${formatInstant(from)} to ${formatInstant(to)}`;
  const came = `${formatInstant(smallestOf(times))} to ${formatInstant(largestOf(times))}`;
  const example = `asked for ${seriesName(series)} from ${asked}, it sent rows from ${came}`;
  if (bounds.isShifted)
    return new UnprovenHistory(
      `the platform sends other times than it is asked for: ${example}. Set platform.timezone or platform.dialect.zoneOverride`,
    );
  const ignored = [...(bounds.ignoresGe ? ['ge'] : []), ...(bounds.ignoresLt ? ['lt'] : [])].join(' and ');
  return new UnprovenHistory(
    `the platform ignores ${ignored}: ${example}, and does not prove that these are all. Nothing more of this stream is read until it keeps the bounds of a request`,
  );
}

function stepAt({ stepSec = 1 }: Window, series: Series, sec: number): Window {
  const fromSec = alignDown(sec * 1e6, stepSec) / 1e6;
  return { series: [series], fromSec, toSec: fromSec + stepSec, stepSec };
}

/** A reply may have too many times to be the arguments of a call, and times that cannot be read. */
function largestOf(times: readonly number[]): number {
  return times.reduce((largest, time) => Math.max(largest, time || largest), Number.NEGATIVE_INFINITY);
}

function smallestOf(times: readonly number[]): number {
  return times.reduce((smallest, time) => Math.min(smallest, time || smallest), Number.POSITIVE_INFINITY);
}
