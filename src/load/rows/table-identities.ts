import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';

/**
 * Reads a text that changes when one of the tables is made again, restored, emptied by `truncate`, or
 * rewritten.
 */
export async function readTableIdentities(
  db: Database,
  schema: string,
  tables: readonly string[],
): Promise<string> {
  const { rows } = await db.query<{ identities: string | null }>(
    `select string_agg(concat(c.oid, '/', pg_relation_filenode(c.oid)), ' ' order by n) as identities
     from unnest($1::text[]) with ordinality as asked (name, n)
     left join pg_class as c on c.oid = to_regclass(asked.name)`,
    [tables.map((table) => quoteTable(schema, table))],
  );
  return rows[0]?.identities ?? '';
}
