import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { changeSchema, ensureSchema, runStatements } from '../../postgres/schema-change.ts';
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
    await makeOrChange(tx, schema, tables);
  });
}

/**
 * Makes one table, or brings it up to date, within `changeSchema`. A table that is up to date costs no write.
 * Throws a `StoreError` as `ensureTables` does.
 */
export function ensureTable(tx: Queryable, schema: string, table: PlannedTable): Promise<void> {
  return makeOrChange(tx, schema, [table]);
}

/** Makes tables, or brings them up to date. The function asks the server once about all of them. */
async function makeOrChange(tx: Queryable, schema: string, tables: readonly PlannedTable[]): Promise<void> {
  const quoted = ({ name }: PlannedTable) => quoteTable(schema, name);
  const existing = await readTables(tx, tables.map(quoted));
  const statements = tables.flatMap((table) =>
    planChange({ schema, table, existing: existing.get(quoted(table)) }),
  );
  await runStatements(tx, statements);
}

/** Reads the shape of a table by its quoted name. Returns undefined if the table does not exist. */
export async function readTable(tx: Queryable, table: string): Promise<ExistingTable | undefined> {
  return (await readTables(tx, [table])).get(table);
}

/** Reads the shapes of those tables that exist. Returns them by their quoted names. */
async function readTables(tx: Queryable, tables: readonly string[]): Promise<Map<string, ExistingTable>> {
  const { rows } = await tx.query(
    `select wanted.name, obj_description(c.oid, 'pg_class') as comment,
       (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
                                          'comment', col_description(attrelid, attnum)))
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
       (select json_agg(a.attname order by k.n)
        from pg_index as i cross join unnest(i.indkey) with ordinality as k (attnum, n)
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary) as key,
       array(select x.relname::text from pg_index as i join pg_class as x on x.oid = i.indexrelid
             where i.indrelid = c.oid) as indexes
     from unnest($1::text[]) as wanted (name) join pg_class as c on c.oid = to_regclass(wanted.name)`,
    [tables],
  );
  return new Map(
    rows.map((row): [string, ExistingTable] => [
      row.name as string,
      {
        comment: row.comment as string | null,
        columns: row.columns as ExistingTable['columns'],
        key: (row.key as string[] | null) ?? [],
        indexes: row.indexes as string[],
      },
    ]),
  );
}
