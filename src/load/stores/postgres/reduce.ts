import type { Database } from '../../../postgres/connect.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { NumberBucket, Reduction, TextBucket } from '../store.ts';

/** A person waits for the answer. A range that takes longer has to be read in smaller parts. */
const TIMEOUT_MS = 20_000;

/**
 * Reduces the numbers of a series of `source` (quoted) to buckets. The first and the last value are found
 * without a sort: they are the least and the greatest pair of time and value.
 */
export async function reduceNumbers(
  db: Database,
  source: string,
  reduction: Reduction,
): Promise<readonly NumberBucket[]> {
  return queryBuckets(
    db,
    `select ${bucketSql} as at, count(*)::int as count,
       (min(array[extract(epoch from at)::float8, value]))[2] as first,
       (max(array[extract(epoch from at)::float8, value]))[2] as last,
       min(value) as min, max(value) as max
     from ${source} where ${ofRange} and value is not null group by 1 order by 1`,
    reduction,
  );
}

/** Reduces the texts of a series of `source` (quoted) to buckets. */
export async function reduceTexts(
  db: Database,
  source: string,
  reduction: Reduction,
): Promise<readonly TextBucket[]> {
  const time = `to_char(at, 'YYYYMMDDHH24MISSUS')`;
  return queryBuckets(
    db,
    `select ${bucketSql} as at, count(*)::int as count, count(distinct text)::int as distinct,
       substr(min(${time} || text collate "C"), 21) as first,
       substr(max(${time} || text collate "C"), 21) as last
     from ${source} where ${ofRange} and text is not null group by 1 order by 1`,
    reduction,
  );
}

const bucketSql = 'date_bin($4::interval, at, $2::timestamptz)';
const ofRange = 'series_id = $1 and at >= $2 and at < $3';

async function queryBuckets<Row>(db: Database, sql: string, reduction: Reduction): Promise<Row[]> {
  const { series, range, stepUs } = reduction;
  const values = [
    series.id,
    timestamptzText(range.from),
    timestamptzText(range.to),
    `${stepUs} microseconds`,
  ];
  return inTransaction(
    db,
    async (tx) => {
      await tx.query(`set transaction read only`);
      await tx.query(`set local statement_timeout = ${TIMEOUT_MS}`);
      const { rows } = await tx.query(sql, values);
      return rows as Row[];
    },
    { what: `reducing ${series.object}.${series.property} within ${TIMEOUT_MS / 1000} s` },
  );
}
