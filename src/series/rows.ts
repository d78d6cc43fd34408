import { isDeepStrictEqual } from 'node:util';
import type { RawRows } from './types.ts';
import { rangeOf, type Window } from './window.ts';

/** Raw rows by series id. A series without an entry has no rows; in a reply, one with an empty entry was named by the platform. */
export type RowsBySeries = ReadonlyMap<number, RawRows>;

/** The rows of the series of a window within its bounds, in the order given; series left without rows are left out. */
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

/** Rows of all series together. */
export function countRows(rows: RowsBySeries): number {
  let count = 0;
  for (const { times } of rows.values()) count += times.length;
  return count;
}

/** Earlier rows followed by later ones, so that of equal times the later reading wins. */
export function joinRows(earlier: RowsBySeries, later: RowsBySeries): RowsBySeries {
  const joined = new Map(earlier);
  for (const [id, series] of later) joined.set(id, joinSeries(joined.get(id), series));
  return joined;
}

/** The same for one series. */
export function joinSeries(earlier: RawRows | undefined, later: RawRows): RawRows {
  if (earlier === undefined) return later;
  return { times: earlier.times.concat(later.times), values: earlier.values.concat(later.values) };
}

/** All parts of one series, one after the other; at once, since a reply may hold a part for each of its rows. */
export function joinAll(parts: readonly RawRows[]): RawRows {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  return { times: parts.flatMap(({ times }) => times), values: parts.flatMap(({ values }) => values) };
}

/** True if `parts` together hold a row that `whole` lacks: more rows of a series, or a time of it that is new. */
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

/** True if two replies hold the same rows in the same order. */
export function sameRows(a: RowsBySeries, b: RowsBySeries): boolean {
  return isDeepStrictEqual(a, b);
}
