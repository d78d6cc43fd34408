import { numbersText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { rangesFromJson, rangesJson, rangesText } from './range-text.ts';

export interface GapQuestion {
  /** Name of the stream with its aggregate, as in `CoverageChange`. */
  readonly stream: string;
  /** Identities of the stores, as `PointStore.id`. */
  readonly stores: readonly string[];
  readonly seriesIds: readonly number[];
  /** The ranges that each of the series must have. */
  readonly wanted: readonly Range[];
}

/** Series that lack exactly the same ranges. */
export interface GapGroup {
  /** Numbers of the series, ascending. */
  readonly seriesIds: number[];
  /** The missing ranges of each store, in the order of the question's stores. Ascending and disjoint. */
  readonly gaps: Range[][];
}

/**
 * Returns the query for what is wanted and not covered. The query yields a row `ids, gaps` for each group of
 * series with equal gaps in any store, ordered by the lowest id. `table` is quoted. The parameters come from
 * `gapValues`.
 */
export function gapsSql(table: string, stores: number): string {
  const perStore = (sql: (i: number) => string, between: string) =>
    Array.from({ length: stores }, (_, i) => sql(i)).join(between);
  return `with gap as (
      select id, ${perStore((i) => `$3::tstzmultirange - coalesce(c${i}.covered, '{}') as gap${i}`, ', ')}
      from unnest($2::bigint[]) as asked (id)
      ${perStore((i) => `left join ${table} as c${i} on c${i}.store = $${i + 4} and c${i}.stream = $1 and c${i}.series_id = id`, '\n')}),
    grouped as (
      select array_to_json(array_agg(id)) as ids, min(id) as first, ${perStore((i) => `gap${i}`, ', ')}
      from gap where not (${perStore((i) => `isempty(gap${i})`, ' and ')})
      group by ${perStore((i) => `gap${i}`, ', ')})
    select ids, json_build_array(${perStore((i) => rangesJson(`gap${i}`), ', ')}) as gaps from grouped order by first`;
}

/** Returns the values of `$1` to `$3`, and then one value for each store. */
export function gapValues({ stream, stores, seriesIds, wanted }: GapQuestion): unknown[] {
  return [stream, idsText(seriesIds), rangesText(wanted), ...stores];
}

/** Reads groups of gaps from the rows of the query of `gapsSql`. */
export function gapGroupsOf(rows: readonly Record<string, unknown>[]): GapGroup[] {
  return rows.map(({ ids, gaps }) => ({
    seriesIds: (ids as number[]).sort((a, b) => a - b),
    gaps: (gaps as unknown[]).map(rangesFromJson),
  }));
}

/** Returns the distinct ids as an array literal. */
export function idsText(ids: readonly number[]): string {
  return numbersText(new Set(ids));
}
