import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { changeSchema, ensureSchema } from '../../postgres/schema-change.ts';
import type { Stream } from '../../streams/define.ts';
import { type ExistingTable, type PlannedTable, planChange, planTables } from './plan-tables.ts';

/**
 * Makes the tables of a stream and of its parts in the data schema, or brings them up to date: columns that were added to the
 * declaration, comments. For details the table is that of the stream that they complete, which is made if it is missing. Throws a
 * `StoreError` if a column changed its type, or the key its columns: that would need a decision about the data.
 */
export function ensureTables(
  db: Database,
  schema: string,
  stream: Stream,
  options: { keepRaw: boolean },
): Promise<void> {
  const tables = planTables(stream, options);
  return changeSchema(db, `making the tables of ${stream.name}`, async (tx) => {
    await ensureSchema(tx, schema);
    for (const table of tables) await ensureTable(tx, schema, table);
  });
}

/** Makes one table what it should be, within `changeSchema`; one that is so already costs no write. Throws as `ensureTables` does. */
export async function ensureTable(tx: Queryable, schema: string, table: PlannedTable): Promise<void> {
  const existing = await readTable(tx, quoteTable(schema, table.name));
  for (const statement of planChange({ schema, table, existing })) await tx.query(statement);
}

/** A table as it is, by its quoted name; undefined if there is none. */
export async function readTable(tx: Queryable, table: string): Promise<ExistingTable | undefined> {
  const { rows } = await tx.query(
    `select obj_description(c.oid, 'pg_class') as comment,
       (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
                                          'comment', col_description(attrelid, attnum)))
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
       (select json_agg(a.attname order by k.n)
        from pg_index as i cross join unnest(i.indkey) with ordinality as k (attnum, n)
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary) as key
     from pg_class as c where c.oid = to_regclass($1)`,
    [table],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    comment: row.comment as string | null,
    columns: row.columns as ExistingTable['columns'],
    key: (row.key as string[] | null) ?? [],
  };
}
