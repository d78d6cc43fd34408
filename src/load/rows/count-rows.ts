import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { hasRelation } from '../../postgres/schema-change.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';

/** The numbers of rows of a table. */
export interface RowCounts {
  /** Rows that are not deleted. */
  readonly live: number;
  readonly deleted: number;
  /** Live rows that were first loaded since the instant asked for. */
  readonly added: number;
}

/**
 * Counts the rows of a stream's table. `sinceUs` is in epoch microseconds. Returns undefined while the table
 * does not exist.
 */
export async function countRowsOf(
  db: Queryable,
  { schema, table, sinceUs }: { schema: string; table: string; sinceUs: number },
): Promise<RowCounts | undefined> {
  const name = quoteTable(schema, table);
  if (!(await hasRelation(db, name))) return undefined;
  const { rows } = await db.query(
    `select count(*) filter (where deleted_at is null) as live,
       count(*) filter (where deleted_at is not null) as deleted,
       count(*) filter (where deleted_at is null and first_seen_at >= $1) as added
     from ${name}`,
    [timestamptzText(sinceUs)],
  );
  return rows[0] as unknown as RowCounts;
}
