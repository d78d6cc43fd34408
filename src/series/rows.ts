import { isDeepStrictEqual } from 'node:util';
import type { RawRows } from './types.ts';
import { rangeOf, type Window } from './window.ts';

/**
 * Raw rows by series id. A series without an entry has no rows. In a reply, a series with an empty entry was
 * named by the platform.
 */
export type RowsBySeries = ReadonlyMap<number, RawRows>;

/**
 * Returns the rows of a window's series that lie within its bounds, in the order given. Series without such
 * rows are left out.
 */
export function clipRows(rows: RowsBySeries, window: Window): RowsBySeries {
  const { from, to } = rangeOf(window);
  const inside = (time: number) => time >= from && time < to;
  const clipped = new Map<number, RawRows>();
  for (const { id } of window.series) {
    const series = rows.get(id);
    if (series === undefined) continue;
    if (series.times.every(inside)) {
      if (series.times.length > 0) clipped.set(id, series);
      continue;
    }
    const kept = [...series.times.keys()].filter((k) => inside(series.times[k] as number));
    if (kept.length === 0) continue;
    clipped.set(id, {
      times: kept.map((k) => series.times[k] as number),
      values: kept.map((k) => series.values[k]),
    });
  }
  return clipped;
}

/** Counts the rows of all series together. */
export function countRows(rows: RowsBySeries): number {
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
export function joinSeries(earlier: RawRows | undefined, later: RawRows): RawRows {
  if (earlier === undefined) return later;
  return { times: earlier.times.concat(later.times), values: earlier.values.concat(later.values) };
}

/** Joins all parts of one series in their order. All at once, since a reply may hold a part for each row. */
export function joinAll(parts: readonly RawRows[]): RawRows {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  return { times: parts.flatMap(({ times }) => times), values: parts.flatMap(({ values }) => values) };
}

/**
 * Returns true if `parts` together hold a row that `whole` lacks: more rows of a series, or a new time of
 * one.
 */
export function addTo(whole: RowsBySeries, parts: readonly RowsBySeries[]): boolean {
  const ids = new Set(parts.flatMap((part) => [...part.keys()]));
  for (const id of ids) {
    const times = parts.flatMap((part) => part.get(id)?.times ?? []);
    const known = whole.get(id)?.times ?? [];
    if (times.length > known.length) return true;
    const knownTimes = new Set(known);
    if (times.some((time) => !knownTimes.has(time))) return true;
  }
  return false;
}

/** Returns true if two replies hold the same rows in the same order. */
export function sameRows(a: RowsBySeries, b: RowsBySeries): boolean {
  return isDeepStrictEqual(a, b);
}
