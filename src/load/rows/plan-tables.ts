import { escapeLiteral } from 'pg';
import { StoreError } from '../../errors.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import { baseOf, type Column, type Stream, type Table } from '../../streams/define.ts';
import { FILLED } from './filled-columns.ts';

/** The shape of a table in the database. */
export interface ExistingTable {
  readonly comment: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly comment: string | null;
  }[];
  /** The columns of the primary key, in their order. */
  readonly key: readonly string[];
  readonly indexes: readonly string[];
}

/** The shape that a table should have. */
export interface PlannedTable {
  readonly name: string;
  readonly about: string;
  readonly key: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly indexes?: readonly PlannedIndex[] | undefined;
}

/** An index besides that of the key. */
export interface PlannedIndex {
  readonly name: string;
  /** What follows the name of the table in SQL: `(at)`. */
  readonly on: string;
}

type TableColumn = Pick<Column, 'name' | 'type' | 'meaning'> & { readonly rest?: string };

/** The columns that every table has in addition to its declared columns. */
const ofEveryTable: readonly TableColumn[] = [
  {
    name: 'first_seen_at',
    type: 'timestamptz',
    meaning: 'When the row was first loaded.',
    rest: 'not null default now()',
  },
  {
    name: 'changed_at',
    type: 'timestamptz',
    meaning: 'When the row was last loaded with a change, or deleted.',
    rest: 'not null default now()',
  },
  {
    name: 'deleted_at',
    type: 'timestamptz',
    meaning: 'When the platform was found to have it no more; null while it has.',
  },
  { name: 'extra', type: 'jsonb', meaning: 'Members of the record that are not known here.' },
];

/** The columns that the table of a stream has in addition to those of every table. */
const ofStreams: readonly TableColumn[] = [
  {
    name: 'missed_scans',
    type: 'integer',
    meaning: 'How many complete scans in a row did not show the row.',
    rest: 'not null default 0',
  },
  {
    name: 'filter',
    type: 'text',
    meaning: 'Filter of the scan that showed the row last; null for a scan of the whole list.',
  },
];

const raw: TableColumn = { name: 'raw', type: 'jsonb', meaning: 'The record as the platform returned it.' };
const detailExtra: TableColumn = {
  name: 'detail_extra',
  type: 'jsonb',
  meaning: 'Members of the details that are not known here.',
};
const detailRaw: TableColumn = {
  name: 'detail_raw',
  type: 'jsonb',
  meaning: 'The details as the platform returned them.',
};

const detailFilled: TableColumn = {
  name: FILLED,
  type: 'jsonb',
  meaning: 'Names of the columns that the list leaves empty and the details fill.',
};

const reserved = new Set(
  [...ofEveryTable, ...ofStreams, raw, detailExtra, detailRaw, detailFilled].map((column) => column.name),
);

/**
 * Plans the tables of a stream: its own and those of its parts. For details the own table is that of the
 * stream that they complete, with their columns added. Throws a `StoreError` if a declared column has a
 * reserved name or is declared twice.
 */
export function planTables(stream: Stream, { keepRaw }: { keepRaw: boolean }): PlannedTable[] {
  const base = baseOf(stream);
  const own = [...base.columns, ...(base.computed ?? [])];
  if (base.tree !== undefined) own.push(base.tree.path, base.tree.depth);
  const added = stream === base ? [] : stream.columns.filter(({ name }) => !base.key.includes(name));
  const rest = stream === base ? [] : [detailExtra];
  if (base.filled) rest.push(detailFilled);
  if (keepRaw) rest.push(stream === base ? raw : detailRaw);
  return [
    {
      ...planTable(base, [...own, ...added], [...ofStreams, ...rest]),
      indexes: base.searched && [searchIndex(base)],
    },
    ...(stream.parts ?? []).map((part) => planTable(part, part.columns, [])),
  ];
}

function planTable(table: Table, declared: readonly Column[], rest: readonly TableColumn[]): PlannedTable {
  const { name, about, key } = table;
  const names = declared.map((column) => column.name);
  for (const column of names) {
    if (reserved.has(column))
      throw refusal(name, `column ${column} has a name that is reserved in every table`);
    if (names.indexOf(column) !== names.lastIndexOf(column))
      throw refusal(name, `column ${column} is declared twice`);
  }
  return { name, about, key, columns: [...declared, ...ofEveryTable, ...rest] };
}

/**
 * Lists the statements that make a table, or bring it up to date. A table that is up to date needs no
 * statement, and no statement takes anything away. Throws a `StoreError` if the type of a column or the
 * columns of the key changed: that needs a decision about the data.
 */
export function planChange(input: {
  schema: string;
  table: PlannedTable;
  existing: ExistingTable | undefined;
  /** The names of tables and indexes of the schema, if an index is lacking. */
  taken: ReadonlySet<string>;
}): string[] {
  const { schema, existing, taken } = input;
  const { name: tableName, about, key, columns } = input.table;
  const table = quoteTable(schema, tableName);
  if (existing !== undefined) refuseChange(input.table, existing);
  const definition = ({ name, type, rest = '' }: TableColumn) => `${quoteName(name)} ${type} ${rest}`;
  const known = new Map(existing?.columns.map((column) => [column.name, column]));

  const statements: string[] = [];
  if (existing === undefined) {
    const primaryKey = `primary key (${key.map(quoteName).join(', ')})`;
    statements.push(`create table ${table} (${[...columns.map(definition), primaryKey].join(', ')})`);
  } else {
    for (const column of columns)
      if (!known.has(column.name)) statements.push(`alter table ${table} add column ${definition(column)}`);
  }
  for (const { name, on } of listLackingIndexes(input.table, existing))
    statements.push(`create index ${quoteName(freeName(name, taken))} on ${table} ${on}`);
  if (existing?.comment !== about) statements.push(`comment on table ${table} is ${escapeLiteral(about)}`);
  for (const { name, meaning } of columns)
    if (known.get(name)?.comment !== meaning)
      statements.push(`comment on column ${table}.${quoteName(name)} is ${escapeLiteral(meaning)}`);
  return statements;
}

/** Lists the indexes that a table lacks. One that exists is not made again: only the table's owner may. */
export function listLackingIndexes(
  { indexes = [] }: PlannedTable,
  existing: ExistingTable | undefined,
): PlannedIndex[] {
  const found = new Set(existing?.indexes.flatMap((name) => [name, name.replace(/_\d+$/, '')]));
  return indexes.filter(({ name }) => !found.has(name));
}

/** Returns the first free one of `name`, `name_2`, …: an index of a renamed table keeps its name. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let k = 2; taken.has(free); k += 1) free = `${name}_${k}`;
  return free;
}

/** Live rows are searched by patterns of their key, and read in its order. */
function searchIndex({ name, key }: Table): PlannedIndex {
  // The order of code points makes a prefix of a name a range of the index, whatever the collation is.
  const columns = key.map((column) => `${quoteName(column)} collate "C"`).join(', ');
  return { name: `${name}_by_name`, on: `(${columns}) where deleted_at is null` };
}

function refuseChange({ name: table, key, columns }: PlannedTable, existing: ExistingTable): void {
  for (const { name, type } of columns) {
    const found = existing.columns.find((column) => column.name === name)?.type;
    const wanted = type === 'timestamptz' ? 'timestamp with time zone' : type;
    if (found !== undefined && found !== wanted)
      throw refusal(table, `column ${name} is ${found} in the database and declared as ${type}`);
  }
  if (existing.key.join() !== key.join())
    throw refusal(
      table,
      `its key is (${existing.key.join(', ')}) in the database and declared as (${key.join(', ')})`,
    );
}

function refusal(table: string, what: string): StoreError {
  return new StoreError(
    'postgres.other_table',
    `the table ${table} cannot be brought up to date: ${what}. Rename or drop the table, then sync the stream again`,
    { action: 'stop' },
  );
}
