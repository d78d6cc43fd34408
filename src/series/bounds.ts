import { PlantsyncError } from '../errors.ts';
import { alignDown } from './history-stream.ts';
import { formatInstant } from './instant.ts';
import { isAscending, type RowOrder } from './row-order.ts';
import { countRows, type RowsBySeries } from './rows.ts';
import { type Series, seriesName } from './types.ts';
import { rangeOf, type Window } from './window.ts';

/** What probes showed about how a platform treats the bounds `ge` and `lt` of a request. */
export interface Bounds {
  readonly ignoresGe: boolean;
  readonly ignoresLt: boolean;
  /**
   * True if a short `limit` drops the end of the platform's order, so that a reply begins where its request
   * does.
   */
  readonly cutsAtEnd: boolean;
  /**
   * True if the platform has no row at the time of a row that it sent: its replies have other times than its
   * requests.
   */
  readonly isShifted: boolean;
}

/**
 * Returns true if a platform keeps the bounds of a request, apart from sending more rows than it was asked
 * for.
 */
export function keepsBounds({ ignoresGe, ignoresLt, isShifted }: Bounds): boolean {
  return !ignoresGe && !ignoresLt && !isShifted;
}

/** Rows of one series that lie outside of the window that the platform was asked for. */
export interface Outside {
  readonly series: Series;
  /** Times of all rows of the series in the reply, also of those inside the window. */
  readonly times: readonly number[];
  readonly before: number;
  readonly after: number;
}

/** Ends a stream of history whose replies prove nothing. The message names what the platform does wrong. */
export class UnprovenHistory extends PlantsyncError {
  override readonly name = 'UnprovenHistory';
}

/**
 * Asks for a window only to see which rows come. Resolves to undefined if the platform refuses the request.
 */
export type Probe = (window: Window, limit?: number) => Promise<RowsBySeries | undefined>;

/** Plants have no data at these times, so that an honest reply to them is empty. */
const FAR_PAST_SEC = Date.UTC(1971, 0, 1) / 1000;
const FAR_FUTURE_SEC = Date.UTC(2100, 0, 1) / 1000;
/** A few rows show whether there are any, and which of them a `limit` leaves. */
const PROBE_LIMIT = 10;
/**
 * A single row at a side may be the last value before the window, or the first after it. Two rows are
 * suspicious.
 */
const SUSPICIOUS_ROWS = 2;

/**
 * Returns the series of a reply with the most rows on one side of a window, more than `slackSec` away from
 * the window. If two series are equal, the one without rows near it wins. Returns undefined if no
 * series has such rows.
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

/** Returns true for two or more rows on one side: no platform that keeps bounds strictly sends them. */
export function isSuspicious({ before, after }: Outside): boolean {
  return Math.max(before, after) >= SUSPICIOUS_ROWS;
}

/** Returns true if a series has rows, but no row near the window. */
export function isElsewhere({ times, before, after }: Outside): boolean {
  return before + after === times.length;
}

function weightOf(outside: Outside): number {
  return 2 * Math.max(outside.before, outside.after) + (isElsewhere(outside) ? 1 : 0);
}

/** Finds out by two or three requests how a platform treats bounds. Throws what `probe` throws. */
export async function probeBounds(window: Window, outside: Outside, probe: Probe): Promise<Bounds> {
  const ignored = await probeFarTimes(window, outside, probe);
  return ignored ?? (await probeRow(window, outside, probe)).bounds;
}

/**
 * Finds out whether a platform has a row at the time of a row that it sent. One request tells, unless several
 * rows of other times come: then the platform may also ignore a bound. Throws what `probe` throws.
 */
export async function probeTimes(window: Window, outside: Outside, probe: Probe): Promise<Bounds> {
  const { bounds, step, elsewhere } = await probeRow(window, outside, probe);
  if (!bounds.isShifted || elsewhere === undefined || !isSuspicious(elsewhere)) return bounds;
  // Only far times can tell: a shifted platform has several rows at a side of this step too.
  return (await probeFarTimes(step, { ...elsewhere, before: 0, after: 0 }, probe)) ?? bounds;
}

/** Asks for times at which no plant has data. Resolves to undefined if both bounds are kept. */
async function probeFarTimes(window: Window, outside: Outside, probe: Probe): Promise<Bounds | undefined> {
  const { series, times } = outside;
  const past = stepAt(window, series, FAR_PAST_SEC);
  const future = stepAt(window, series, FAR_FUTURE_SEC);
  const fromPast = await probe(past, PROBE_LIMIT);
  const fromFuture = await probe(future, PROBE_LIMIT);
  // If the platform refuses such times, only the reply that is already there can tell.
  const afterPast = (fromPast ? findOutside(past, fromPast) : outside)?.after ?? 0;
  const beforeFuture = (fromFuture ? findOutside(future, fromFuture) : outside)?.before ?? 0;
  const ignoresLt = afterPast >= SUSPICIOUS_ROWS;
  const ignoresGe = beforeFuture >= SUSPICIOUS_ROWS;
  if (!ignoresGe && !ignoresLt) return undefined;
  const oldest = fromPast?.get(series.id)?.times ?? [];
  const newest = fromFuture?.get(series.id)?.times ?? [];
  const cutsAtEnd = ignoresLt
    ? oldest.length > 0 && largestOf(oldest) < largestOf(times)
    : newest.length > 0 && smallestOf(newest) > smallestOf(times);
  return { ignoresGe, ignoresLt, cutsAtEnd, isShifted: false };
}

/** Asks for the step of the farthest row that came. The bounds are taken as kept. */
async function probeRow(
  window: Window,
  { series, times }: Outside,
  probe: Probe,
): Promise<{ bounds: Bounds; step: Window; elsewhere: Outside | undefined }> {
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
  return { bounds: { ignoresGe: false, ignoresLt: false, cutsAtEnd: false, isShifted }, step, elsewhere };
}

/**
 * Returns the series of a window whose rows in a reply are complete although a bound is ignored.
 *
 * A sorted reply is one unbroken piece of the rows that the platform has of a series. The piece holds the
 * whole window in two cases:
 * - it reaches beyond both ends of the window;
 * - it begins at a bound that is kept, and reaches beyond the other end.
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

/** Makes the error that says why nothing more is read, and what to do. */
export function describeBounds(window: Window, { series, times }: Outside, bounds: Bounds): UnprovenHistory {
  const { from, to } = rangeOf(window);
  const asked = `${formatInstant(from)} to ${formatInstant(to)}`;
  const came = `${formatInstant(smallestOf(times))} to ${formatInstant(largestOf(times))}`;
  const example = `asked for ${seriesName(series)} from ${asked}, it sent rows from ${came}`;
  if (bounds.isShifted)
    return new UnprovenHistory(
      'history.other_times',
      `the platform sends other times than it is asked for: ${example}. Set platform.timezone or platform.dialect.zoneOverride`,
    );
  const ignored = [...(bounds.ignoresGe ? ['ge'] : []), ...(bounds.ignoresLt ? ['lt'] : [])].join(' and ');
  return new UnprovenHistory(
    'history.bounds_ignored',
    `the platform ignores ${ignored}: ${example}, and does not prove that these are all rows. Nothing more of this stream is read until the platform keeps the bounds of a request`,
  );
}

function stepAt({ stepSec = 1 }: Window, series: Series, sec: number): Window {
  const fromSec = alignDown(sec * 1e6, stepSec) / 1e6;
  return { series: [series], fromSec, toSec: fromSec + stepSec, stepSec };
}

/**
 * Returns the largest time. A reply may have more times than a call can have arguments, and unreadable times
 * (NaN).
 */
function largestOf(times: readonly number[]): number {
  return times.reduce((largest, time) => Math.max(largest, time || largest), Number.NEGATIVE_INFINITY);
}

function smallestOf(times: readonly number[]): number {
  return times.reduce((smallest, time) => Math.min(smallest, time || smallest), Number.POSITIVE_INFINITY);
}
