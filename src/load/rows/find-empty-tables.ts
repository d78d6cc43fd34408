import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';

/** Finds those of the tables that have no row at all, not even a deleted one. */
export async function findEmptyTables(
  db: Database,
  schema: string,
  tables: readonly string[],
): Promise<Set<string>> {
  const empty = new Set<string>();
  for (const table of tables) {
    const { rows } = await db.query(`select from ${quoteTable(schema, table)} limit 1`);
    if (rows.length === 0) empty.add(table);
  }
  return empty;
}
