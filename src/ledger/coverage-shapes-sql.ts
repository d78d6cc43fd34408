import { numbersText } from '../postgres/type-parsers.ts';

/**
 * Series whose coverage is looked at in sum: some series by their numbers, or all that the selections of the
 * configuration read, by parts of the choice.
 */
export type SummedSeries = { readonly ids: readonly number[] } | { readonly parts: readonly number[] };

/** The tables that the sums are made of, quoted. */
export interface CoverageTables {
  readonly coverage: string;
  readonly shapes: string;
  readonly changes: string;
}

/**
 * Returns the head of a query: the table expression `shape (store, covered, n)`. A row says that `n` of the
 * series have just these ranges in a store. Series without coverage are in the rows without ranges. `$1` is
 * the stream, `$2` the stores as an array, and `$3` comes from `summedValue`.
 *
 * The shapes of a part are kept by triggers, so that this reads as many rows as there are shapes. Series by
 * number are looked up one by one.
 */
export function shapesSql({ coverage, shapes, changes }: CoverageTables, series: SummedSeries): string {
  if ('ids' in series)
    return `with shape as materialized (
      select w.store, coalesce(c.covered, '{}') as covered, count(*) as n
      from unnest($2::text[]) as w (store) cross join unnest($3::bigint[]) as asked (id)
      left join ${coverage} as c on c.store = w.store and c.stream = $1 and c.series_id = asked.id
      group by 1, 2)`;
  const kept = (condition: string) =>
    [shapes, changes]
      .map(
        (table) =>
          `select store, part, digest, covered, series from ${table} where ${condition} and part = any($3::int[])`,
      )
      .join(' union all ');
  return `with known as materialized (
      select store, covered, sum(series) as n from (${kept('stream = $1 and store = any($2::text[])')}) as k
      group by store, part, digest, covered having sum(series) <> 0),
    chosen as (select coalesce(sum(series), 0) as n from (${kept("stream = '' and store = ''")}) as k),
    shape as materialized (
      select store, covered, n from known
      union all
      select w.store, '{}', chosen.n - coalesce((select sum(known.n) from known where known.store = w.store), 0)
      from unnest($2::text[]) as w (store), chosen)`;
}

export function summedValue(series: SummedSeries): string {
  return 'ids' in series ? numbersText(new Set(series.ids)) : numbersText(series.parts);
}
