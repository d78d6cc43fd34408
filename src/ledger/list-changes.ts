import type { Database } from '../postgres/connect.ts';
import { quoteName, quoteTable } from '../postgres/names.ts';
import { hasRelation } from '../postgres/schema-change.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import { jsonText } from './json-text.ts';

export const changeKinds = ['updated', 'deleted', 'restored'] as const;
type Row = Readonly<Record<string, unknown>>;

/** One change of a row of the directory. */
export interface ChangeRecord {
  readonly id: number;
  readonly table: string;
  /** The key columns of the row. */
  readonly key: Row;
  readonly kind: (typeof changeKinds)[number];
  /** When the row was changed, in epoch microseconds. */
  readonly at: number;
  /** The columns that the change gave another value, with both values. */
  readonly columns: readonly ChangedColumn[];
}

export interface ChangedColumn {
  readonly name: string;
  readonly before: unknown;
  /** Undefined if the row is not there any more to tell. */
  readonly after: unknown;
}

export interface ChangeFilter {
  readonly table?: string | undefined;
  /** The text of a value of the key. */
  readonly key?: string | undefined;
  readonly kind?: ChangeRecord['kind'] | undefined;
  /** Changes from `from` on and before `to`, in epoch microseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Most changes to return. The default is 100. */
  readonly limit?: number | undefined;
  readonly after?: ChangePlace | undefined;
}

/** The place of a change among all changes, the newest first. */
export type ChangePlace = Pick<ChangeRecord, 'at' | 'id'>;

export interface ChangePage {
  readonly changes: ChangeRecord[];
  /** Where the next page begins. Undefined if there are no more changes. */
  readonly next: ChangePlace | undefined;
}

/** Most changes that are looked through for one page, if a key is asked for. */
const MOST_LOOKED_THROUGH = 50_000;
/** Columns that every change of a row touches. */
const bookkeeping = new Set(['changed_at', 'deleted_at']);

/** Lists changes, the newest first, each with the columns that it changed. */
export async function listChanges(db: Database, schemas: Schemas, filter: ChangeFilter): Promise<ChangePage> {
  const { key, limit = 100 } = filter;
  const looked = key === undefined ? limit : MOST_LOOKED_THROUGH;
  const { rows } = await db.query(pageSql(quoteTable(schemas.ledger, 'changes')), [
    ...conditionsOf(filter),
    looked,
    key ?? null,
    limit,
  ]);
  const found = rows.filter(({ id }) => id !== null);
  const present = await readPresent(
    db,
    schemas,
    found.filter(({ after }) => after === null),
  );
  const changes = found.map((row) =>
    changeOf(row, (row.after as Row | null) ?? present.get(row.id as number)),
  );
  return { changes, next: nextPlace(rows, { limit, looked }) };
}

function conditionsOf({ table, kind, from, to, after }: ChangeFilter): unknown[] {
  return [
    table ?? null,
    kind ?? null,
    from === undefined ? null : timestamptzText(from),
    to === undefined ? null : timestamptzText(to),
    after === undefined ? null : timestamptzText(after.at),
    after?.id ?? null,
  ];
}

/**
 * Returns the statement for one page. If a key is asked for, a bounded number of changes is looked through.
 * Every row tells how many these were, and which was the last. A page without changes has one row for that.
 * What a change made of the row stands in the next change of the same row.
 */
function pageSql(table: string): string {
  return `with looked as materialized (
      select id, table_name, key, kind, before, at from ${table}
      where ($1::text is null or table_name = $1) and ($2::text is null or kind = $2)
        and ($3::timestamptz is null or at >= $3) and ($4::timestamptz is null or at < $4)
        and ($5::timestamptz is null or (at, id) < ($5, $6::bigint))
      order by at desc, id desc limit $7),
    found as (
      select * from looked
      where $8::text is null or exists (select from jsonb_each_text(key) as part where part.value = $8)
      order by at desc, id desc limit $9),
    bounds as (
      select count(*)::int as count, (array_agg(id order by at, id))[1] as last_id, min(at) as last_at from looked)
    select bounds.count, bounds.last_id, bounds.last_at, found.id, found.table_name, found.key, found.kind,
      found.at, found.before, (
        select c.before from ${table} as c
        where c.table_name = found.table_name and md5(c.key::text) = md5(found.key::text) and c.id > found.id
        order by c.id limit 1) as after
    from bounds left join found on true order by found.at desc, found.id desc`;
}

/** Reads the rows of the directory as they are now, by the numbers of their newest changes. */
async function readPresent(
  db: Database,
  { data }: Schemas,
  changes: readonly Record<string, unknown>[],
): Promise<Map<number, Row>> {
  const present = new Map<number, Row>();
  for (const name of new Set(changes.map(({ table_name }) => table_name as string))) {
    const table = quoteTable(data, name);
    const own = changes.filter(({ table_name }) => table_name === name);
    // A version of the program that has no such table any more still shows its changes.
    if (!(await hasRelation(db, table))) continue;
    const columns = Object.keys(own[0]?.key as object).map(quoteName);
    const { rows } = await db.query(
      `select a.id, to_jsonb(t) as row
       from jsonb_to_recordset($1::jsonb) as a (id bigint, key jsonb)
       cross join lateral jsonb_populate_record(null::${table}, a.key) as k
       join ${table} as t on ${columns.map((column) => `t.${column} = k.${column}`).join(' and ')}`,
      [jsonText(own.map(({ id, key }) => ({ id, key })))],
    );
    for (const { id, row } of rows) present.set(id as number, row as Row);
  }
  return present;
}

function changeOf(row: Record<string, unknown>, after: Row | undefined): ChangeRecord {
  return {
    id: row.id as number,
    table: row.table_name as string,
    key: row.key as Row,
    kind: row.kind as ChangeRecord['kind'],
    at: row.at as number,
    columns: columnsOf(row.before as Row, after),
  };
}

function columnsOf(before: Row, after: Row | undefined): ChangedColumn[] {
  const names = Object.keys(before).filter((name) => !bookkeeping.has(name));
  return names
    .map((name) => ({ name, before: before[name], after: after?.[name] }))
    .filter((column) => after !== undefined && jsonText(column.before) !== jsonText(column.after ?? null));
}

function nextPlace(
  rows: readonly Record<string, unknown>[],
  { limit, looked }: { limit: number; looked: number },
): ChangePlace | undefined {
  const [first] = rows;
  const found = rows.filter(({ id }) => id !== null);
  const last = found.at(-1);
  if (last !== undefined && found.length === limit) return { at: last.at as number, id: last.id as number };
  if (first === undefined || (first.count as number) < looked) return undefined;
  return { at: first.last_at as number, id: first.last_id as number };
}
