import { timestamptzText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';

/** Writes a range as a literal of `tstzrange`, exact to the microsecond. */
export function rangeText(range: Range): string {
  return `["${timestamptzText(range.from)}","${timestamptzText(range.to)}")`;
}

/** Writes ranges, in any order, as a literal of `tstzmultirange`. */
export function rangesText(ranges: readonly Range[]): string {
  return `{${ranges.map(rangeText).join(',')}}`;
}

/**
 * Returns SQL that turns a `tstzmultirange` into JSON `[[from, to], …]` of epoch microseconds, ascending. The
 * SQL uses `extract`, which is exact and does not depend on the settings of the session.
 */
export function rangesJson(expression: string): string {
  const us = (bound: string) => `(extract(epoch from ${bound}) * 1000000)::bigint`;
  return `(select coalesce(json_agg(json_build_array(${us('lower(r)')}, ${us('upper(r)')}) order by r), '[]')
           from unnest(${expression}) as r)`;
}

/** Reads ranges from the JSON of `rangesJson`. */
export function rangesFromJson(pairs: unknown): Range[] {
  return (pairs as [number, number][]).map(([from, to]) => ({ from, to }));
}
