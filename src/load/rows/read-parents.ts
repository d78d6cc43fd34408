import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Stream } from '../../streams/define.ts';
import { filterSql, listOf } from './row-sql.ts';

/** A row whose own list or details are to be read. */
export interface ParentRow {
  /** The values of the key columns, in the order of the key. */
  readonly key: Record<string, unknown>;
  /** When the row last changed, in epoch microseconds. */
  readonly changedAt: number;
  /** The number of complete scans in a row that did not show the row. */
  readonly missedScans: number;
}

/**
 * Reads the live rows of a stream that a scan under this filter showed last, ordered by key. Without a filter
 * all live rows are read.
 */
export async function readParents(
  db: Database,
  schema: string,
  stream: Stream,
  { filter }: { filter: string | null },
): Promise<ParentRow[]> {
  const key = listOf(stream.key);
  const { rows } = await db.query(
    `select ${key}, changed_at, missed_scans from ${quoteTable(schema, stream.name)} as _t
     where deleted_at is null and ${filterSql('_t')} order by ${key}`,
    [filter],
  );
  return rows.map((row) => ({
    key: Object.fromEntries(stream.key.map((name) => [name, row[name]])),
    changedAt: row.changed_at as number,
    missedScans: row.missed_scans as number,
  }));
}
