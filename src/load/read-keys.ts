import type { Database } from '../postgres/connect.ts';
import { quoteName, quoteTable } from '../postgres/names.ts';
import type { Stream } from '../streams/define.ts';

/** The key columns of every row of a stream that is not deleted, ordered by key: the parents of another stream's scans. */
export async function readKeys(
  db: Database,
  schema: string,
  stream: Stream,
): Promise<Record<string, unknown>[]> {
  const key = stream.key.map(quoteName).join(', ');
  const { rows } = await db.query<Record<string, unknown>>(
    `select ${key} from ${quoteTable(schema, stream.name)} where deleted_at is null order by ${key}`,
  );
  return rows;
}
