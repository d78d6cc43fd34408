import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Stream } from '../../streams/define.ts';
import { filterSql, listOf } from './row-sql.ts';

/** Live rows that a scan under this filter has shown last; all live rows if it is null. */
const ofFilter = `_t.deleted_at is null and ${filterSql('_t')}`;

/** How many rows a stream has under a filter, how many of them the last scan did not show, and how many have missed `misses` scans. */
export async function countRows(
  db: Database,
  schema: string,
  stream: Stream,
  { filter, misses }: { filter: string | null; misses: number },
): Promise<{ live: number; missing: number; due: number }> {
  const { rows } = await db.query<{ live: number; missing: number; due: number }>(
    `select count(*) as live, count(*) filter (where missed_scans > 0) as missing,
       count(*) filter (where missed_scans >= $2) as due
     from ${quoteTable(schema, stream.name)} as _t where ${ofFilter}`,
    [filter, misses],
  );
  return rows[0] ?? { live: 0, missing: 0, due: 0 };
}

/** The keys of the rows under a filter that have missed enough scans to be deleted, in their order. */
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
