import type { PoolClient } from 'pg';
import type { Database } from '../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { ColumnValue, Part, Stream } from '../../streams/define.ts';
import { ownerColumns } from '../../streams/owner.ts';
import type { CopyColumn } from '../copy/encode.ts';
import { listOf, liveSql, matchSql, softDeleteSql } from './row-sql.ts';
import { openStage, type Stage, stageKeys } from './staged-rows.ts';

/** The purpose of the stage that holds the keys of the rows to delete. */
const PURPOSE = 'gone';

export interface RowsToDelete {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  /**
   * A row is deleted only if at least so many scans in a row have missed it: a row that was seen again stays.
   */
  readonly misses: number;
  /** All declared streams: those that are details of this one have parts of their own. */
  readonly streams: readonly Stream[];
}

/**
 * Deletes, softly, the live rows with these keys, with their parts and the parts of their details. Notes the
 * changes in the ledger. Resolves to the number of deleted rows, without those of the parts.
 */
export function deleteRows(
  db: Database,
  schemas: Schemas,
  stream: Stream,
  { keys, misses, streams }: RowsToDelete,
): Promise<number> {
  if (keys.length === 0) return Promise.resolve(0);
  const still = { sql: '_r.missed_scans >= $1', values: [misses] };
  return deleteStaged(db, schemas, { stream, streams, still }, (tx) => stageOwnKeys(tx, stream, keys));
}

/**
 * Marks rows that the platform has although no list shows them. They count as missing only after `rest`
 * further scans.
 */
export async function markPresent(
  db: Database,
  schemas: Schemas,
  stream: Stream,
  { keys, rest }: { keys: readonly Readonly<Record<string, unknown>>[]; rest: number },
): Promise<void> {
  if (keys.length === 0) return;
  const table = quoteTable(schemas.data, stream.name);
  const own = listOf(stream.key);
  const mark = async (tx: PoolClient) => {
    const stage = await stageOwnKeys(tx, stream, keys);
    await planByKey(tx);
    // The row of every key exists, so the insert always conflicts. That makes the planner find the row by its
    // key.
    await tx.query(
      `with _old as materialized (
         select _k.* from (select distinct * from ${stage.name} order by ${own}) as _s cross join lateral (
           select ${listOf(stream.key, '_t.')} from ${table} as _t
           where ${matchSql(stream.key, '_t', '_s')} and ${liveSql('_t')} and _t.missed_scans > 0
           limit 1 for no key update) as _k)
       insert into ${table} (${own}) select ${own} from _old
       on conflict (${own}) do update set missed_scans = -$1::int`,
      [rest],
    );
  };
  await inTransaction(db, mark, { what: `marking rows of ${stream.name}` });
}

/**
 * Deletes, softly, the live rows whose parent's row is deleted, with their parts. The parts of their details
 * are found among `streams`. Notes the changes in the ledger. Resolves to the number of deleted rows, without
 * those of the parts.
 */
export async function deleteOrphans(
  db: Database,
  schemas: Schemas,
  stream: Stream,
  { streams = [] }: { streams?: readonly Stream[] } = {},
): Promise<number> {
  const parent = stream.parent?.stream;
  const links = ownerColumns(stream);
  if (parent === undefined || links.length === 0)
    throw new TypeError(`the rows of ${stream.name} belong to no other stream`);
  const owners = columnsOf(parent, [...new Set(links.map(({ of }) => of))]);
  const belongs = links.map(({ name, of }) => `_t.${quoteName(name)} = _s.${quoteName(of)}`);
  return deleteStaged(db, schemas, { stream, streams }, async (tx) => {
    const stage = await openStage(tx, PURPOSE, keyColumns(stream));
    const gone = await openStage(tx, 'gone_owners', owners);
    // All rows of the parent are read, so the planner chooses the way. The rows that belong to them are found
    // by index.
    await tx.query(
      `insert into ${gone.name} select ${listOf(owners.map(({ name }) => name))}
       from ${quoteTable(schemas.data, parent.name)} where deleted_at is not null`,
    );
    await planByKey(tx);
    // Without an orphan nothing is written. `offset 0` keeps the lookup of each parent apart.
    await tx.query(
      `insert into ${stage.name} select distinct _k.* from ${gone.name} as _s cross join lateral (
         select ${listOf(stream.key, '_t.')} from ${quoteTable(schemas.data, stream.name)} as _t
         where ${belongs.join(' and ')} and ${liveSql('_t')} offset 0) as _k`,
    );
    return stage;
  });
}

/**
 * Deletes, softly, the live parts of deleted rows. Such parts exist where details were asked for before their
 * row was deleted and loaded after. Notes the changes in the ledger.
 */
export async function deletePartsOfDeleted(
  db: Database,
  schemas: Schemas,
  stream: Stream,
  { streams }: { streams: readonly Stream[] },
): Promise<void> {
  const remove = async (tx: PoolClient) => {
    const stage = await openStage(tx, PURPOSE, keyColumns(stream));
    const table = quoteTable(schemas.data, stream.name);
    await tx.query(
      `insert into ${stage.name} select ${listOf(stream.key)} from ${table} where deleted_at is not null`,
    );
    await planByKey(tx);
    await deleteParts(tx, schemas, { stream, streams, stage });
  };
  await inTransaction(db, remove, { what: `deleting parts of ${stream.name}` });
}

interface Deletion {
  readonly stream: Stream;
  readonly streams: readonly Stream[];
  /** A condition that must hold for the row `_r` once it is locked. */
  readonly still?: { readonly sql: string; readonly values: readonly unknown[] };
}

/** Deletes the rows whose keys `stageThem` puts into a temporary table, with their parts. */
function deleteStaged(
  db: Database,
  schemas: Schemas,
  { stream, streams, still }: Deletion,
  stageThem: (tx: PoolClient) => Promise<Stage>,
): Promise<number> {
  const remove = async (tx: PoolClient) => {
    const stage = await stageThem(tx);
    await planByKey(tx);
    const keys = `select distinct ${listOf(stream.key)} from ${stage.name}`;
    const { rows } = await tx.query<{ deleted: number }>(
      softDeleteSql(schemas, { table: stream.name, key: stream.key }, keys, still?.sql),
      [...(still?.values ?? [])],
    );
    await deleteParts(tx, schemas, { stream, streams, stage });
    return rows[0]?.deleted ?? 0;
  };
  return inTransaction(db, remove, { what: `deleting rows of ${stream.name}` });
}

/** Deletes the parts of the staged rows that are deleted. */
async function deleteParts(
  tx: PoolClient,
  schemas: Schemas,
  { stream, streams, stage }: Pick<Deletion, 'stream' | 'streams'> & { readonly stage: Stage },
): Promise<void> {
  for (const part of await existingParts(tx, schemas, ownedParts(stream, streams))) {
    const ofThese = partKeysSql(schemas, { stream, part, stage });
    await tx.query(softDeleteSql(schemas, { table: part.name, key: part.key }, ofThese));
  }
}

/** Lists the parts whose rows belong to one row of the stream, also the parts of its details. */
function ownedParts(stream: Stream, streams: readonly Stream[]): Part[] {
  const details = streams.filter((other) => other.updates && other.parent?.stream.name === stream.name);
  const parts = [stream, ...details].flatMap((each) => each.parts ?? []).filter((part) => !part.shared);
  return [...new Map(parts.map((part) => [part.name, part])).values()];
}

/** Leaves out parts without a table: details that were never read have none yet. */
async function existingParts(tx: PoolClient, schemas: Schemas, parts: readonly Part[]): Promise<Part[]> {
  const { rows } = await tx.query<{ present: boolean }>(
    'select to_regclass(name) is not null as present from unnest($1::text[]) with ordinality as a (name, n) order by n',
    [parts.map((part) => quoteTable(schemas.data, part.name))],
  );
  return parts.filter((_, k) => rows[k]?.present === true);
}

/**
 * Builds the query for the keys of the live rows of a part whose owner is among the staged rows and is
 * deleted.
 */
function partKeysSql(
  { data }: Schemas,
  { stream, part, stage }: { stream: Stream; part: Part; stage: Stage },
): string {
  const belongs = stream.key.map((name, k) => `_t.${quoteName(part.key[k] ?? '')} = _s.${quoteName(name)}`);
  return `select distinct _k.* from ${stage.name} as _s cross join lateral (
      select from ${quoteTable(data, stream.name)} as _o
      where ${matchSql(stream.key, '_o', '_s')} and _o.deleted_at is not null offset 0) as _gone cross join lateral (
      select ${listOf(part.key, '_t.')} from ${quoteTable(data, part.name)} as _t
      where ${belongs.join(' and ')} and ${liveSql('_t')} offset 0) as _k`;
}

function stageOwnKeys(
  tx: PoolClient,
  stream: Stream,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<Stage> {
  const rows = keys.map((key) => stream.key.map((name) => (key[name] ?? null) as ColumnValue));
  return stageKeys(tx, { purpose: PURPOSE, table: stream.name, columns: keyColumns(stream) }, rows);
}

function keyColumns(stream: Stream): CopyColumn[] {
  return columnsOf(stream, stream.key);
}

function columnsOf({ columns }: Stream, names: readonly string[]): CopyColumn[] {
  return names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
}
