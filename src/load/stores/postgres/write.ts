import type { PoolClient } from 'pg';
import { planByKey } from '../../../postgres/plan-by-key.ts';
import { prepared } from '../../../postgres/queryable.ts';
import { numbersText, timestamptzText } from '../../../postgres/type-parsers.ts';
import type { SeriesPoints } from '../../../series/types.ts';
import { copyIn } from '../../copy/copy-in.ts';
import { encodePoints } from '../../copy/encode.ts';

const COLUMNS = 'series_id, at, value, text, quality';
/**
 * The temporary table for points of the running transaction. The table stays as long as the session, because
 * a new table for every batch would bloat the catalogue.
 */
const STAGING = 'pg_temp.incoming_points';

/** Up to this number of points, a single statement costs both sides less than the messages of a COPY. */
const FEW_POINTS = 200;
/**
 * The most text for a single statement: an array of long texts takes many times their size of memory, a COPY
 * one chunk.
 */
const FEW_CHARACTERS = 4_096;

/**
 * Appends points to `target` (quoted) and resolves to their number. Fails as a whole if one of the points
 * exists already.
 */
export function appendPoints(
  tx: PoolClient,
  target: string,
  series: readonly SeriesPoints[],
): Promise<number> {
  if (areFew(series)) return insertPoints(tx, target, series);
  return copyIn(tx, `${target} (${COLUMNS})`, encodePoints(series));
}

function areFew(series: readonly SeriesPoints[]): boolean {
  let points = 0;
  let characters = 0;
  for (const { times, texts } of series) {
    points += times.length;
    if (points > FEW_POINTS) return false;
    for (const text of texts) characters += text?.length ?? 0;
  }
  return characters <= FEW_CHARACTERS;
}

async function insertPoints(
  tx: PoolClient,
  target: string,
  series: readonly SeriesPoints[],
): Promise<number> {
  const texts = series.flatMap((points) => points.texts);
  const qualities = series.flatMap((points) => points.qualities);
  const isSet = (entry: string | null): boolean => entry !== null;
  const { rowCount } = await tx.query(
    // `unnest` fills the shorter lists with null.
    prepared(`insert into ${target} (${COLUMNS})
     select id, timestamptz 'epoch' + us * interval '1 microsecond', value, text, quality
     from unnest($1::bigint[], $2::bigint[], $3::double precision[], $4::text[], $5::text[])
       as point (id, us, value, text, quality)`),
    [
      numbersText(series.flatMap(({ series: { id }, times }) => times.map(() => id))),
      numbersText(series.flatMap(({ times }) => times)),
      numbersText(series.flatMap(({ values }) => values)),
      texts.some(isSet) ? texts : [],
      qualities.some(isSet) ? qualities : [],
    ],
  );
  return rowCount ?? 0;
}

/** Stages points until the end of the transaction, and resolves to their number. */
export async function stagePoints(tx: PoolClient, series: readonly SeriesPoints[]): Promise<number> {
  await tx.query(
    `create temp table if not exists incoming_points
     (series_id bigint, at timestamptz, value double precision, text text, quality text) on commit delete rows`,
  );
  return appendPoints(tx, STAGING, series);
}

/**
 * Inserts points into `target` (quoted) and replaces those that differ. Equal points cost no write. Resolves
 * to the number of written points. The points stay staged until the end of the transaction.
 */
export async function mergePoints(
  tx: PoolClient,
  target: string,
  series: readonly SeriesPoints[],
): Promise<number> {
  if ((await stagePoints(tx, series)) === 0) return 0;
  await planByKey(tx);
  const { rowCount } = await tx.query(
    `insert into ${target} as t (${COLUMNS}) select ${COLUMNS} from (${differing(target)}) as i ${INTO_PLACE}`,
    boundsOf(series),
  );
  return rowCount ?? 0;
}

/** What a merge changed of one series within a quarter of an hour. */
export interface MergedPoints {
  readonly seriesId: number;
  /** Times of the first and the last point that was inserted or replaced. */
  readonly first: number;
  readonly last: number;
  readonly points: number;
  /** Number of points that were inserted. */
  readonly inserted: number;
  /** Time of the first inserted point. Null if there is none. */
  readonly oldest: number | null;
}

/** Does what `mergePoints` does, and resolves to what changed. */
export async function mergeAndTell(
  tx: PoolClient,
  target: string,
  series: readonly SeriesPoints[],
): Promise<MergedPoints[]> {
  if ((await stagePoints(tx, series)) === 0) return [];
  await planByKey(tx);
  const { rows } = await tx.query(
    `with changed as materialized (${differing(target)}),
     put as (insert into ${target} as t (${COLUMNS}) select ${COLUMNS} from changed as i ${INTO_PLACE})
     select series_id as "seriesId", min(at) as first, max(at) as last, count(*) as points,
       count(*) filter (where is_new) as inserted, min(at) filter (where is_new) as oldest
     from changed group by series_id, date_bin('15 minutes', at, 'epoch')`,
    boundsOf(series),
  );
  return rows as MergedPoints[];
}

/**
 * Selects the staged points that are not in `target` as they are. Equal points are left out before the
 * insert, because a conflict locks, and so writes, even a row that does not change. The bounds let the
 * planner skip all partitions except those of the batch.
 */
function differing(target: string): string {
  return `select i.*, k.series_id is null as is_new from ${STAGING} as i
     left join ${target} as k on k.series_id = i.series_id and k.at = i.at and k.at between $1 and $2
     where k.series_id is null or row(k.value, k.text, k.quality) is distinct from row(i.value, i.text, i.quality)`;
}

const INTO_PLACE = `order by i.series_id, i.at
     on conflict (series_id, at) do update set value = excluded.value, text = excluded.text, quality = excluded.quality
     where row(t.value, t.text, t.quality) is distinct from row(excluded.value, excluded.text, excluded.quality)`;

/**
 * Returns the numbers of the series whose point (one each) differs from their newest value in `current`
 * (quoted), or that have no value there.
 */
export async function findChanged(
  tx: PoolClient,
  current: string,
  series: readonly SeriesPoints[],
): Promise<Set<number>> {
  await stagePoints(tx, series);
  await planByKey(tx);
  const { rows } = await tx.query<{ series_id: number }>(
    `select i.series_id from ${STAGING} as i left join ${current} as c on c.series_id = i.series_id
     where c.series_id is null or row(c.value, c.text, c.quality) is distinct from row(i.value, i.text, i.quality)`,
  );
  await tx.query(`delete from ${STAGING}`);
  return new Set(rows.map((row) => row.series_id));
}

/** How far a point may be ahead of the database's clock and still count as the newest. */
const FUTURE = '2 minutes';

/**
 * Writes the newest staged point of each series to `target` (quoted) if it is newer than the stored point. A
 * stored point far ahead of the database's clock got its time from a wrong clock: any point replaces it.
 */
export async function mergeCurrent(tx: PoolClient, target: string): Promise<void> {
  await tx.query(
    `insert into ${target} as t (${COLUMNS}, changed_at)
     select distinct on (series_id) ${COLUMNS}, at from ${STAGING} order by series_id, at desc
     on conflict (series_id) do update set at = excluded.at, value = excluded.value, text = excluded.text,
       quality = excluded.quality, changed_at = case
         when row(t.value, t.text, t.quality) is distinct from row(excluded.value, excluded.text, excluded.quality)
           or t.changed_at > excluded.at
         then excluded.at else t.changed_at end
     where excluded.at > t.at or t.at > now() + interval '${FUTURE}'`,
  );
}

/** Returns the first and last time of points that ascend in each series. */
function boundsOf(series: readonly SeriesPoints[]): [string, string] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { times } of series) {
    from = Math.min(from, times[0] ?? from);
    to = Math.max(to, times.at(-1) ?? to);
  }
  return [timestamptzText(from), timestamptzText(to)];
}
