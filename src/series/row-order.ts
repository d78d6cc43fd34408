import type { Breaks } from '../breaks.ts';
import type { RowsBySeries } from './rows.ts';
import type { RawRows } from './types.ts';

/** How a platform sorts the rows of a series. */
export type RowOrder = 'oldest first' | 'newest first';

/**
 * Returns the order of the rows of a reply. Returns undefined if no series tells it, or if two series
 * contradict each other.
 */
export function orderOf(rows: RowsBySeries): RowOrder | undefined {
  let order: RowOrder | undefined;
  for (const { times } of rows.values()) {
    const own = orderOfTimes(times);
    if (own === undefined || own === 'equal' || own === order) continue;
    if (order !== undefined) return undefined;
    order = own;
  }
  return order;
}

/** Returns the same rows with the oldest first. Only a reply in the order `newest first` is changed. */
export async function putOldestFirst(
  rows: RowsBySeries,
  order: RowOrder | undefined,
  breaks: Breaks,
): Promise<RowsBySeries> {
  if (order !== 'newest first') return rows;
  const put = new Map<number, RawRows>();
  for (const [id, series] of rows) {
    await breaks.takeIfDue();
    put.set(id, isNewestFirst(series) ? await reverse(series, breaks) : series);
  }
  return put;
}

/** Returns true if times never fall. Times that hold an unreadable one (NaN) are not ascending. */
export function isAscending(times: readonly number[]): boolean {
  return times.every((time, k) => k === 0 || time >= (times[k - 1] as number)) && !Number.isNaN(times[0]);
}

/** Returns true for a series whose times never rise. An unsorted series of a sorted reply stays as it is. */
function isNewestFirst({ times }: RawRows): boolean {
  const order = orderOfTimes(times);
  return order === 'newest first' || order === 'equal';
}

/**
 * Returns the order of times. Unreadable times (NaN) are passed over. Returns undefined if the others rise
 * and fall.
 */
function orderOfTimes(times: readonly number[]): RowOrder | 'equal' | undefined {
  let rises = false;
  let falls = false;
  let last = Number.NaN;
  for (const time of times) {
    if (time > last) rises = true;
    else if (time < last) falls = true;
    if (rises && falls) return undefined;
    if (!Number.isNaN(time)) last = time;
  }
  return rises ? 'oldest first' : falls ? 'newest first' : 'equal';
}

async function reverse({ times, values }: RawRows, breaks: Breaks): Promise<RawRows> {
  const reversed = { times: [] as number[], values: [] as unknown[] };
  for (let k = times.length - 1; k >= 0; k -= 1) {
    if (breaks.dueAt(k)) await breaks.take();
    reversed.times.push(times[k] as number);
    reversed.values.push(values[k]);
  }
  return reversed;
}
