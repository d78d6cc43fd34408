import type { Database } from '../../../postgres/connect.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { NumberBucket, Reduction, TextBucket } from '../store.ts';

/** A person waits for the answer. A range that takes longer has to be read in smaller parts. */
const TIMEOUT_MS = 20_000;

/** Reduces the numbers of a series of `source` (quoted) to buckets. */
export function reduceNumbers(
  db: Database,
  source: string,
  reduction: Reduction,
): Promise<readonly NumberBucket[]> {
  return queryBuckets(db, bucketsSql(source, 'value', 'min(value) as min, max(value) as max'), reduction);
}

/** Reduces the texts of a series of `source` (quoted) to buckets. */
export function reduceTexts(
  db: Database,
  source: string,
  reduction: Reduction,
): Promise<readonly TextBucket[]> {
  return queryBuckets(db, bucketsSql(source, 'text', 'count(distinct text)::int as distinct'), reduction);
}

/**
 * Builds the query for buckets of one column. It looks up the first and the last value of each bucket by
 * their times. Sorting the points of a bucket would take five times as long.
 */
function bucketsSql(source: string, column: 'value' | 'text', aggregates: string): string {
  const valueAt = (time: string) =>
    `(select ${column} from ${source} as p where p.series_id = $1 and p.at = b.${time})`;
  return `select bucket as at, b.*, ${valueAt('first_at')} as first, ${valueAt('last_at')} as last from (
      select date_bin($4::interval, at, $2::timestamptz) as bucket, count(*)::int as count,
        min(at) as first_at, max(at) as last_at, ${aggregates}
      from ${source}
      where series_id = $1 and at >= $2 and at < $3 and ${column} is not null group by 1) as b
    order by bucket`;
}

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
      return rows.map(({ bucket: _, first_at: __, last_at: ___, ...row }) => row as Row);
    },
    { what: `reducing ${series.object}.${series.property} within ${TIMEOUT_MS / 1000} s` },
  );
}
