import type { PoolClient } from 'pg';
import { messageOf } from '../errors.ts';
import type { Database } from '../postgres/connect.ts';
import { sqlState } from '../postgres/errors.ts';
import { quoteName, quoteTable } from '../postgres/names.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Row, Stream } from '../streams/define.ts';
import { type CopyColumn, encodeRows } from './copy.ts';
import { copyIn } from './copy-in.ts';
import type { Transaction } from './store.ts';

export interface LoadResult {
  /** Distinct keys, so a key that came twice counts once. */
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Those of the updated that had been deleted and are back. */
  readonly restored: number;
  /** Rows that Postgres cannot hold; the others are loaded. */
  readonly refused: readonly RefusedRow[];
}

export interface RefusedRow {
  readonly row: Row;
  /** The server's words. */
  readonly reason: string;
}

export interface RowLoader {
  /**
   * Loads rows in one transaction (or, where Postgres cannot hold one of them, in several): new keys are inserted, changed rows updated, deleted ones restored; unchanged ones cost no
   * write. Of rows with the same key the last counts. `commit` runs inside the transaction, after the rows.
   */
  load(rows: readonly Row[], commit?: (tx: Transaction) => Promise<void>): Promise<LoadResult>;
}

/** Loads normalized rows of a stream into its table, which `ensureTable` has made. */
export function createRowLoader(
  db: Database,
  { schema, stream }: { schema: string; stream: Stream },
): RowLoader {
  const columns: CopyColumn[] = [...stream.columns, { name: 'extra', type: 'jsonb' as const }];
  // Errors of the encoding name the column; across streams a name alone would say little.
  const named = columns.map(({ name, type }) => ({ name: `${stream.name}.${name}`, type }));
  const sql = mergeSql(schema, stream, columns);
  const loadAll = (rows: readonly Row[], commit?: (tx: Transaction) => Promise<void>): Promise<LoadResult> =>
    inTransaction(
      db,
      async (tx) => {
        await tx.query(sql.stage);
        await copyIn(tx, sql.copyTarget, encodeRows(named, rows));
        const result = await merge(tx, sql.merge);
        await commit?.(tx);
        return result;
      },
      { what: `loading ${stream.name}` },
    );
  const load: RowLoader['load'] = async (rows, commit) => {
    try {
      return await loadAll(rows, commit);
    } catch (error) {
      if (!isAboutData(error)) throw error;
      const [row] = rows;
      if (row !== undefined && rows.length === 1)
        return { ...nothing, refused: [{ row, reason: messageOf(error) }] };
      const middle = Math.ceil(rows.length / 2);
      return addUp(await load(rows.slice(0, middle), commit), await load(rows.slice(middle), commit));
    }
  };
  return { load };
}

/** Data exceptions (class 22) and exceeded limits (54) lie with single rows; one of them must not hold up the others. */
function isAboutData(error: unknown): boolean {
  return /^(?:22|54)/.test(sqlState(error) ?? '');
}

const nothing: LoadResult = { inserted: 0, updated: 0, unchanged: 0, restored: 0, refused: [] };

function addUp(a: LoadResult, b: LoadResult): LoadResult {
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    restored: a.restored + b.restored,
    refused: [...a.refused, ...b.refused],
  };
}

async function merge(tx: PoolClient, sql: string): Promise<LoadResult> {
  const { rows } = await tx.query<{ total: number; inserted: number; updated: number; restored: number }>(
    sql,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error('a merge without counts');
  const { total, inserted, updated, restored } = counts;
  return { inserted, updated, restored, unchanged: total - inserted - updated, refused: [] };
}

function mergeSql(schema: string, stream: Stream, columns: readonly CopyColumn[]) {
  const table = quoteTable(schema, stream.name);
  const names = columns.map((column) => quoteName(column.name));
  const key = stream.key.map(quoteName);
  const values = names.filter((name) => !key.includes(name));
  const list = (prefix: string, of: readonly string[]) => of.map((name) => `${prefix}${name}`).join(', ');
  const differs = (left: string, right: string) =>
    `(${left}.deleted_at is not null or row(${list(`${left}.`, values)}) is distinct from row(${list(`${right}.`, values)}))`;

  return {
    stage: `create temp table incoming (${columns.map((column, i) => `${names[i]} ${column.type}`).join(', ')}) on commit drop`,
    copyTarget: `pg_temp.incoming (${list('', names)})`,
    // The physical order of a table that was just filled is the order of the rows, so the last one wins. Rows are
    // written in the order of the key: two loads at once then lock in the same order and cannot deadlock. Rows that are equal
    // must be left out before the insert, because a conflict locks, and so writes, even a row that it does not change.
    // No declared column has a name that begins with an underscore.
    merge: `
      with latest as materialized (
        select distinct on (${list('', key)}) ${list('', names)} from pg_temp.incoming order by ${list('', key)}, ctid desc),
      compared as materialized (
        select l.*, t.deleted_at is not null as _deleted, t.first_seen_at is null or ${differs('t', 'l')} as _differs
        from latest as l left join ${table} as t on ${key.map((name) => `t.${name} = l.${name}`).join(' and ')}),
      written as (
        insert into ${table} as t (${list('', names)})
        select ${list('', names)} from compared where _differs order by ${list('', key)}
        on conflict (${list('', key)}) do update
          set ${values.map((name) => `${name} = excluded.${name}`).join(', ')}, changed_at = now(), deleted_at = null
          where ${differs('t', 'excluded')}
        returning xmax = 0 as inserted)
      select (select count(*)::int from compared) as total, (select count(*)::int from compared where _deleted) as restored,
        count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated
      from written`,
  };
}
