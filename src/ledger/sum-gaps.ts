import type { Queryable } from '../postgres/queryable.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { type CoverageTables, type SummedSeries, shapesSql, summedValue } from './coverage-shapes-sql.ts';
import { rangesText } from './range-text.ts';

export interface GapSumQuestion {
  /** Name of the stream with its aggregate, as in `CoverageChange`. */
  readonly stream: string;
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  readonly series: SummedSeries;
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
  /** Start of the longest gap that is not missing, because the next run reads it. Epoch microseconds. */
  readonly newestFrom: number | undefined;
}

/** Adds up what is wanted and not covered. The server adds, so that any number of series costs one row. */
export async function sumGaps(
  db: Pick<Queryable, 'query'>,
  tables: CoverageTables,
  { stream, store, series, wanted, newest }: GapSumQuestion,
): Promise<GapSum> {
  const { rows } = await db.query(
    `${shapesSql(tables, series)}
     select coalesce(sum(n) filter (where missing.oldest is not null), 0)::float8 as series,
       coalesce(sum(n * seconds), 0)::float8 / 3600 as hours, min(oldest) as oldest, min(newest_from) as newest_from
     from shape
     cross join lateral (
       select sum(extract(epoch from upper(gap) - lower(gap))) filter (where is_missing) as seconds,
         min(lower(gap)) filter (where is_missing) as oldest, min(lower(gap)) filter (where not is_missing) as newest_from
       from unnest($4::tstzmultirange - covered) as gap cross join lateral (
         select upper(gap) <= $5::timestamptz or upper(gap) - lower(gap) >= $6 * interval '1 second' as is_missing) as kind) as missing
     where n > 0 and not covered @> $4::tstzmultirange`,
    [
      stream,
      [store],
      summedValue(series),
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
    newestFrom: (row?.newest_from as number | null | undefined) ?? undefined,
  };
}
