import type { Database } from '../postgres/connect.ts';
import type { Range } from '../series/types.ts';
import {
  askShapes,
  type CoverageTables,
  countSql,
  type SummedSeries,
  shapesSql,
  summedValue,
} from './coverage-shapes-sql.ts';
import { rangeText } from './range-text.ts';

export interface GapSumQuestion {
  /** Name of the stream with its aggregate, as in `CoverageChange`. */
  readonly stream: string;
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  readonly series: SummedSeries;
  /** The range that each of the series must have. */
  readonly wanted: Range;
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
  db: Database,
  tables: CoverageTables,
  { stream, store, series, wanted, newest }: GapSumQuestion,
): Promise<GapSum> {
  if (wanted.from >= wanted.to) return { series: 0, hours: 0, oldest: undefined, newestFrom: undefined };
  const [row = {}] = await askShapes(db, {
    what: 'adding up gaps',
    series,
    sql: sumSql(tables, series),
    values: [
      ...[stream, [store], summedValue(series), rangeText(wanted)],
      ...[wanted.from / 1e6, wanted.to / 1e6, newest.endUs / 1e6, newest.widthUs / 1e6],
    ],
  });
  const { known = 0, all = 0, gapped = 0, seconds = 0, oldest, newest_from } = row as Partial<SumRow>;
  const bare = Math.max(0, all - known);
  const isMissing = wanted.to <= newest.endUs || wanted.to - wanted.from >= newest.widthUs;
  const ofBare = bare === 0 ? [] : [wanted.from];
  return {
    series: gapped + (isMissing ? bare : 0),
    hours: (seconds + (isMissing ? (bare * (wanted.to - wanted.from)) / 1e6 : 0)) / 3600,
    oldest: leastOf([...microsOf(oldest), ...(isMissing ? ofBare : [])]),
    newestFrom: leastOf([...microsOf(newest_from), ...(isMissing ? [] : ofBare)]),
  };
}

/** Sums over series with coverage. Times are epoch seconds. */
interface SumRow {
  /** Series with coverage, and all series. */
  readonly known: number;
  readonly all: number;
  readonly gapped: number;
  readonly seconds: number;
  readonly oldest: number | null;
  readonly newest_from: number | null;
}

function microsOf(seconds: number | null | undefined): number[] {
  return seconds === null || seconds === undefined ? [] : [Math.round(seconds * 1e6)];
}

function leastOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Adds up in two parts. The gaps of most ranges follow from their measures. There the wanted range begins in
 * the first one or before it, in the last one or behind it, or with one gap in between. Others with gaps
 * are subtracted, which takes ten times as long for each. `$5` to `$8` are begin and end of the
 * wanted range, and the bounds of the newest gaps.
 *
 * `offset '0'` keeps Postgres from working out the same expression again for each use. A zero without quotes
 * would also keep it from sharing the work among its workers.
 */
function sumSql(tables: CoverageTables, series: SummedSeries): string {
  const isFirst = '$5::float8 <= first_ends';
  const isBehindOneGap = `$5::float8 >= gap_begins
    or covered @> tstzrange(lower($4::tstzrange), to_timestamp(gap_begins))`;
  // The ranges themselves are looked at last, since that takes longest.
  const isMeasured = `seconds < 'Infinity' and begins < $6::float8 and last_begins <= least($6::float8, $7::float8)
    and (${isFirst} or $5::float8 >= last_begins or ${isBehindOneGap})`;
  // The gaps before the last range: how long they are, and where the first one begins. Null without any.
  const all = `case when begins > $5::float8 or last_begins > begins then ends - least($5::float8, begins) - seconds end`;
  const last = `case when $5::float8 < last_begins then last_begins - greatest($5::float8, gap_begins) end`;
  const inner = `case when ${isFirst} then ${all} else ${last} end`;
  const innerFrom = `case when not ${isFirst} then greatest($5::float8, gap_begins)
    when begins > $5::float8 then $5::float8 else first_ends end`;
  return `${shapesSql(tables, series)},
    measured as (
      select n, ${inner} as inner_sec, ${innerFrom} as inner_from,
        case when ends < $6::float8 then greatest($5::float8, ends) end as tail_from,
        $6::float8 <= $7::float8 or $6::float8 - greatest($5::float8, ends) >= $8::float8 as is_tail_missing
      from shape where n > 0 and ${isMeasured} offset '0'),
    other as (
      select n, case when not covered @> $4::tstzrange then ${subtractSql} end as gaps
      from shape where n > 0 and (${isMeasured}) is not true offset '0'),
    part as (
      select sum(n) as known,
        sum(n) filter (where inner_sec is not null or tail_from is not null and is_tail_missing) as gapped,
        sum(n * (coalesce(inner_sec, 0)
          + case when is_tail_missing then coalesce($6::float8 - tail_from, 0) else 0 end)) as seconds,
        min(case when inner_sec is not null then inner_from when is_tail_missing then tail_from end) as oldest,
        min(tail_from) filter (where not is_tail_missing) as newest_from
      from measured
      union all
      select sum(n), sum(n) filter (where gaps[2] is not null), sum(n * gaps[1]), min(gaps[2]), min(gaps[3])
      from other)
    select ${countSql(tables, series)}::float8 as all, coalesce(sum(known), 0) as known,
      coalesce(sum(gapped), 0) as gapped, coalesce(sum(seconds), 0) as seconds,
      min(oldest) as oldest, min(newest_from) as newest_from
    from part`;
}

/** The seconds of the missing gaps, the begin of the first one, and that of the longest newest one. */
const subtractSql = `(
  select array[sum(until - since) filter (where is_missing), min(since) filter (where is_missing),
    min(since) filter (where not is_missing)]
  from (
    select since, until, until <= $7::float8 or until - since >= $8::float8 as is_missing
    from (
      select date_part('epoch', lower(gap)) as since, date_part('epoch', upper(gap)) as until
      from unnest(tstzmultirange($4::tstzrange) - covered) as gap) as bounds) as gaps)`;
