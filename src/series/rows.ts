import { isDeepStrictEqual } from 'node:util';
import type { Breaks } from '../breaks.ts';
import type { Range, RawRows } from './types.ts';
import { rangeOf, type Window } from './window.ts';

/**
 * Raw rows by series id. A series without an entry has no rows. In a reply, a series with an empty entry was
 * named by the platform.
 */
export type RowsBySeries = ReadonlyMap<number, RawRows>;

/** Most times in one set: the time that a set takes to grow is a pause of the whole program. */
const MOST_IN_SET = 10_000;

/**
 * Returns the rows of the series of a window within its bounds, in the order given. Series without rows are
 * left out.
 */
export async function clipRows(rows: RowsBySeries, window: Window, breaks: Breaks): Promise<RowsBySeries> {
  const range = rangeOf(window);
  const clipped = new Map<number, RawRows>();
  for (const { id } of window.series) {
    const series = rows.get(id);
    const kept = series && (await clipSeries(series, range, breaks));
    if (kept !== undefined && kept.times.length > 0) clipped.set(id, kept);
  }
  return clipped;
}

async function clipSeries(series: RawRows, { from, to }: Range, breaks: Breaks): Promise<RawRows> {
  const { times, values } = series;
  const isInside = (k: number) => (times[k] as number) >= from && (times[k] as number) < to;
  let k = 0;
  for (; k < times.length && isInside(k); k += 1) if (breaks.dueAt(k)) await breaks.take();
  if (k === times.length) return series;
  const clipped = { times: times.slice(0, k), values: values.slice(0, k) };
  for (; k < times.length; k += 1) {
    if (breaks.dueAt(k)) await breaks.take();
    if (!isInside(k)) continue;
    clipped.times.push(times[k] as number);
    clipped.values.push(values[k]);
  }
  return clipped;
}

/** Counts the rows of all series together. Without rows there are none. */
export function countRows(rows: RowsBySeries = new Map()): number {
  let count = 0;
  for (const { times } of rows.values()) count += times.length;
  return count;
}

/** Joins rows: the earlier ones, then the later ones, so that the later reading of an equal time wins. */
export function joinRows(earlier: RowsBySeries, later: RowsBySeries): RowsBySeries {
  const joined = new Map(earlier);
  for (const [id, series] of later) joined.set(id, joinSeries(joined.get(id), series));
  return joined;
}

/** Joins the rows of one series as `joinRows` does. */
function joinSeries(earlier: RawRows | undefined, later: RawRows): RawRows {
  if (earlier === undefined) return later;
  return { times: earlier.times.concat(later.times), values: earlier.values.concat(later.values) };
}

/** Joins all parts of one series in their order. All at once, since a reply may hold a part for each row. */
export async function joinAll(parts: readonly RawRows[], breaks: Breaks): Promise<RawRows> {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const joined = { times: [] as number[], values: [] as unknown[] };
  for (const { times, values } of parts)
    for (let k = 0; k < times.length; k += 1) {
      if (breaks.dueAt(k)) await breaks.take();
      joined.times.push(times[k] as number);
      joined.values.push(values[k]);
    }
  return joined;
}

/**
 * Returns true if `parts` together hold a row that `whole` lacks: more rows of a series, or a new time of
 * one.
 */
export async function addTo(
  whole: RowsBySeries,
  parts: readonly RowsBySeries[],
  breaks: Breaks,
): Promise<boolean> {
  const ids = new Set(parts.flatMap((part) => [...part.keys()]));
  for (const id of ids) {
    const added = parts.flatMap((part) => part.get(id)?.times.length ?? 0);
    const known = whole.get(id)?.times ?? [];
    if (added.reduce((sum, count) => sum + count, 0) > known.length) return true;
    const set = new TimeSet(known.length);
    for (let k = 0; k < known.length; k += 1) {
      if (breaks.dueAt(k)) await breaks.take();
      set.add(known[k] as number);
    }
    for (const part of parts) {
      const times = part.get(id)?.times ?? [];
      for (let k = 0; k < times.length; k += 1) {
        if (breaks.dueAt(k)) await breaks.take();
        if (!set.has(times[k] as number)) return true;
      }
    }
  }
  return false;
}

/** A set of times that grows in small steps, since it is made of many sets. */
class TimeSet {
  readonly #sets: readonly Set<number>[];

  constructor(count: number) {
    // An odd number of sets takes times of any even distance.
    const sets = Math.ceil(count / MOST_IN_SET) | 1;
    this.#sets = Array.from({ length: sets }, () => new Set<number>());
  }

  add(time: number): void {
    this.#setOf(time).add(time);
  }

  has(time: number): boolean {
    return this.#setOf(time).has(time);
  }

  #setOf(time: number): Set<number> {
    // A time that cannot be read is not a number.
    return (this.#sets[Math.abs(time % this.#sets.length) | 0] ?? this.#sets[0]) as Set<number>;
  }
}

/** Returns true if two replies hold the same rows in the same order. */
export async function sameRows(a: RowsBySeries, b: RowsBySeries, breaks: Breaks): Promise<boolean> {
  if (a.size !== b.size) return false;
  for (const [id, { times, values }] of a) {
    const other = b.get(id);
    if (other?.times.length !== times.length) return false;
    for (let k = 0; k < times.length; k += 1) {
      if (breaks.dueAt(k)) await breaks.take();
      if (!Object.is(times[k], other.times[k])) return false;
      const [value, otherValue] = [values[k], other.values[k]];
      if (!Object.is(value, otherValue) && !isDeepStrictEqual(value, otherValue)) return false;
    }
  }
  return true;
}
