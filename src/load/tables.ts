import { escapeLiteral } from 'pg';
import { StoreError } from '../errors.ts';
import type { Database } from '../postgres/connect.ts';
import { postgresStore } from '../postgres/errors.ts';
import { quoteName, quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import { changeSchema, ensureSchema } from '../postgres/schema-change.ts';
import type { Column, Stream } from '../streams/define.ts';

/** A table as it is in the database. */
export interface ExistingTable {
  readonly comment: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly comment: string | null;
  }[];
  /** Columns of the primary key, in their order. */
  readonly key: readonly string[];
}

type TableColumn = Pick<Column, 'name' | 'type' | 'meaning'> & { readonly rest?: string };

/** Columns that every stream's table has, beside the declared ones. */
const bookkeeping: readonly TableColumn[] = [
  {
    name: 'first_seen_at',
    type: 'timestamptz',
    meaning: 'When the row was first loaded.',
    rest: 'not null default now()',
  },
  {
    name: 'changed_at',
    type: 'timestamptz',
    meaning: 'When the row was last loaded with a change.',
    rest: 'not null default now()',
  },
  {
    name: 'deleted_at',
    type: 'timestamptz',
    meaning: 'When the platform was found to have it no more; null while it has.',
  },
  { name: 'extra', type: 'jsonb', meaning: 'Members of the record that are not known here.' },
];

/**
 * Makes the table of a stream in the data schema, or brings it up to date: columns that were added to the declaration, comments.
 * Throws a `StoreError` if a column changed its type, or the key its columns: that would need a decision about the data.
 */
export function ensureTable(db: Database, schema: string, stream: Stream): Promise<void> {
  return changeSchema(db, `making the table of ${stream.name}`, async (tx) => {
    await ensureSchema(tx, schema);
    const existing = await readTable(tx, quoteTable(schema, stream.name));
    for (const statement of planTable({ schema, stream, existing })) await tx.query(statement);
  });
}

/** The statements that make a table what its stream declares; none if it is. */
export function planTable(input: {
  schema: string;
  stream: Stream;
  existing: ExistingTable | undefined;
}): string[] {
  const { schema, stream, existing } = input;
  const table = quoteTable(schema, stream.name);
  const columns: TableColumn[] = [...stream.columns, ...bookkeeping];
  refuseReserved(stream);
  if (existing !== undefined) refuseChange(stream, existing, columns);
  const definition = ({ name, type, rest = '' }: TableColumn) => `${quoteName(name)} ${type} ${rest}`;
  const known = new Map(existing?.columns.map((column) => [column.name, column]));

  const statements: string[] = [];
  if (existing === undefined) {
    const key = `primary key (${stream.key.map(quoteName).join(', ')})`;
    statements.push(`create table ${table} (${[...columns.map(definition), key].join(', ')})`);
  } else {
    for (const column of columns)
      if (!known.has(column.name)) statements.push(`alter table ${table} add column ${definition(column)}`);
  }
  if (existing?.comment !== stream.about)
    statements.push(`comment on table ${table} is ${escapeLiteral(stream.about)}`);
  for (const { name, meaning } of columns)
    if (known.get(name)?.comment !== meaning)
      statements.push(`comment on column ${table}.${quoteName(name)} is ${escapeLiteral(meaning)}`);
  return statements;
}

function refuseReserved(stream: Stream): void {
  const taken = stream.columns.find(({ name }) => bookkeeping.some((column) => column.name === name));
  if (taken !== undefined)
    throw refusal(stream, `column ${taken.name} has a name that every table keeps for itself`);
}

function refuseChange(stream: Stream, existing: ExistingTable, columns: readonly TableColumn[]): void {
  for (const { name, type } of columns) {
    const found = existing.columns.find((column) => column.name === name)?.type;
    const wanted = type === 'timestamptz' ? 'timestamp with time zone' : type;
    if (found !== undefined && found !== wanted)
      throw refusal(stream, `column ${name} is ${found} in the database and declared as ${type}`);
  }
  if (existing.key.join() !== stream.key.join())
    throw refusal(
      stream,
      `its key is (${existing.key.join(', ')}) in the database and declared as (${stream.key.join(', ')})`,
    );
}

function refusal(stream: Stream, what: string): StoreError {
  return new StoreError(
    `the table of ${stream.name} cannot be brought up to date: ${what}. Rename or drop the table, then sync the stream again`,
    postgresStore,
    'stop',
  );
}

async function readTable(tx: Queryable, table: string): Promise<ExistingTable | undefined> {
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
