import type { Database } from '../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { bringUpToDate } from '../../postgres/schema-change.ts';
import type { Stream } from '../../streams/define.ts';
import {
  type ExistingTable,
  listLackingIndexes,
  type PlannedTable,
  planChange,
  planTables,
} from './plan-tables.ts';

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
  return ensurePlanned(db, schema, planTables(stream, options), stream.name);
}

/** Makes tables, or brings them up to date, as `ensureTables` does. `of` names their stream for errors. */
export function ensurePlanned(
  db: Database,
  schema: string,
  tables: readonly PlannedTable[],
  of: string,
): Promise<void> {
  const quoted = ({ name }: PlannedTable) => quoteTable(schema, name);
  return bringUpToDate(db, { schema, what: `making the tables of ${of}` }, async (at) => {
    const existing = await readTables(at, tables.map(quoted));
    const lacking = tables.flatMap((table) => listLackingIndexes(table, existing.get(quoted(table))));
    const taken = lacking.length === 0 ? new Set<string>() : await readNames(at, schema);
    return tables.flatMap((table) =>
      planChange({ schema, table, existing: existing.get(quoted(table)), taken }),
    );
  });
}

/** Returns the names of all tables and indexes of a schema. */
async function readNames(db: Queryable, schema: string): Promise<Set<string>> {
  const { rows } = await db.query('select relname from pg_class where relnamespace = to_regnamespace($1)', [
    quoteName(schema),
  ]);
  return new Set(rows.map(({ relname }) => relname as string));
}

/** Reads the shapes of those tables that exist. Takes quoted names, and returns the tables by them. */
export async function readTables(
  db: Queryable,
  tables: readonly string[],
): Promise<Map<string, ExistingTable>> {
  const { rows } = await db.query(
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
