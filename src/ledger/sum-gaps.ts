import type { Queryable } from '../postgres/queryable.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { idsText } from './gaps-sql.ts';
import { rangesText } from './range-text.ts';

export interface GapSumQuestion {
  /** Name of the stream with its aggregate, as in `CoverageChange`. */
  readonly stream: string;
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  readonly seriesIds: readonly number[];
  /** The ranges that each of the series must have. */
  readonly wanted: readonly Range[];
  /**
   * A gap that ends after `endUs` and is shorter than `widthUs` is not missing. The next run reads it. Both
   * are in microseconds.
   */
  readonly newest: { readonly endUs: number; readonly widthUs: number };
}

/** What some series lack in a store, in sum. */
export interface GapSum {
  /** Series with a gap. */
  readonly series: number;
  readonly hours: number;
  /** Start of the oldest gap, in epoch microseconds. Undefined without a gap. */
  readonly oldest: number | undefined;
}

/** Adds up what is wanted and not covered. The server adds, so that any number of series costs one row. */
export async function sumGaps(
  db: Pick<Queryable, 'query'>,
  table: string,
  { stream, store, seriesIds, wanted, newest }: GapSumQuestion,
): Promise<GapSum> {
  const { rows } = await db.query(
    `select count(*)::int as series, coalesce(sum(hours), 0)::float8 as hours, min(oldest) as oldest
     from unnest($3::bigint[]) as asked (id)
     left join ${table} as c on c.store = $1 and c.stream = $2 and c.series_id = id
     cross join lateral (
       select sum(extract(epoch from upper(gap) - lower(gap))) / 3600 as hours, min(lower(gap)) as oldest
       from unnest($4::tstzmultirange - coalesce(c.covered, '{}')) as gap
       where upper(gap) <= $5::timestamptz or upper(gap) - lower(gap) >= $6 * interval '1 second') as missing
     where missing.oldest is not null`,
    [
      store,
      stream,
      idsText(seriesIds),
      rangesText(wanted),
      timestamptzText(newest.endUs),
      newest.widthUs / 1e6,
    ],
  );
  const [row] = rows;
  return {
    series: (row?.series as number | undefined) ?? 0,
    hours: (row?.hours as number | undefined) ?? 0,
    oldest: (row?.oldest as number | null | undefined) ?? undefined,
  };
}
