import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Stream } from '../../streams/define.ts';
import { filterSql, listOf } from './row-sql.ts';

/**
 * The condition for live rows that a scan under the filter `$1` showed last. Where `$1` is null, all live
 * rows.
 */
const ofFilter = `_t.deleted_at is null and ${filterSql('_t')}`;

export interface RowCounts {
  readonly live: number;
  readonly listed: number;
  readonly missing: number;
  readonly due: number;
}

/**
 * Counts the live rows of a stream under a filter. `missing` are those that the last scan did not show, `due`
 * those that at least `misses` scans in a row did not show. `listed` are those that no scan has missed since
 * a list showed them.
 */
export async function countRows(
  db: Database,
  schema: string,
  stream: Stream,
  { filter, misses }: { filter: string | null; misses: number },
): Promise<RowCounts> {
  const { rows } = await db.query<Record<keyof RowCounts, number>>(
    `select count(*) as live, count(*) filter (where missed_scans = 0) as listed,
       count(*) filter (where missed_scans > 0) as missing,
       count(*) filter (where missed_scans >= $2) as due
     from ${quoteTable(schema, stream.name)} as _t where ${ofFilter}`,
    [filter, misses],
  );
  return rows[0] ?? { live: 0, listed: 0, missing: 0, due: 0 };
}

/** Reads the keys of the rows under a filter that have missed enough scans to be deleted, ordered by key. */
export async function readDueKeys(
  db: Database,
  schema: string,
  stream: Stream,
  { filter, misses }: { filter: string | null; misses: number },
): Promise<Record<string, unknown>[]> {
  const key = listOf(stream.key);
  const { rows } = await db.query(
    `select ${key} from ${quoteTable(schema, stream.name)} as _t where ${ofFilter} and missed_scans >= $2 order by ${key}`,
    [filter, misses],
  );
  return rows;
}
