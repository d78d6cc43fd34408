import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { changeSchema, ensureSchema } from '../../postgres/schema-change.ts';
import type { Stream } from '../../streams/define.ts';
import { type ExistingTable, type PlannedTable, planChange, planTables } from './plan-tables.ts';

/**
 * Makes the tables of a stream and of its parts in the data schema, or brings their columns and comments up
 * to date. For details the table is that of the stream that they complete, which is made if it is missing.
 * Throws a `StoreError` if the type of a column or the columns of the key changed: that needs a decision
 * about the data.
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

/**
 * Makes one table, or brings it up to date, within `changeSchema`. A table that is up to date costs no write.
 * Throws a `StoreError` as `ensureTables` does.
 */
export async function ensureTable(tx: Queryable, schema: string, table: PlannedTable): Promise<void> {
  const existing = await readTable(tx, quoteTable(schema, table.name));
  for (const statement of planChange({ schema, table, existing })) await tx.query(statement);
}

/** Reads the shape of a table by its quoted name. Returns undefined if the table does not exist. */
export async function readTable(tx: Queryable, table: string): Promise<ExistingTable | undefined> {
  const { rows } = await tx.query(
    `select obj_description(c.oid, 'pg_class') as comment,
       (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
                                          'comment', col_description(attrelid, attnum)))
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
       (select json_agg(a.attname order by k.n)
        from pg_index as i cross join unnest(i.indkey) with ordinality as k (attnum, n)
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary) as key,
       array(select x.relname::text from pg_index as i join pg_class as x on x.oid = i.indexrelid
             where i.indrelid = c.oid) as indexes
     from pg_class as c where c.oid = to_regclass($1)`,
    [table],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    comment: row.comment as string | null,
    columns: row.columns as ExistingTable['columns'],
    key: (row.key as string[] | null) ?? [],
    indexes: row.indexes as string[],
  };
}
