import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { quoteName } from '../../postgres/names.ts';
import type { Row } from '../../streams/define.ts';
import { copyIn } from '../copy/copy-in.ts';
import { type CopyColumn, encodeRows } from '../copy/encode.ts';

/** A temporary table for rows of the running transaction. */
export interface Stage {
  /** The quoted name, for SQL. */
  readonly name: string;
  readonly columns: readonly CopyColumn[];
}

/**
 * Makes a temporary table with these columns. It is empty at the beginning of each transaction and stays as
 * long as the session. A new table for every load would write to the catalogue, and so to the write-ahead
 * log, even where no row has changed. `purpose` is a short name that tells the stages of one transaction
 * apart.
 */
export async function openStage(
  tx: PoolClient,
  purpose: string,
  columns: readonly CopyColumn[],
): Promise<Stage> {
  const definition = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  const digest = hash('sha256', definition, 'hex').slice(0, 16);
  const table = quoteName(`${purpose}_${digest}`);
  await tx.query(`create temp table if not exists ${table} (${definition}) on commit delete rows`);
  return { name: `pg_temp.${table}`, columns };
}

/**
 * Adds rows to a stage, or straight to a table. An error of the encoding names the column as one of `table`.
 */
export async function copyRows(
  tx: PoolClient,
  into: Stage,
  { table, rows }: { table: string; rows: Iterable<Row> },
): Promise<void> {
  const names = into.columns.map(({ name }) => quoteName(name)).join(', ');
  const named = into.columns.map(({ name, type }) => ({ name: `${table}.${name}`, type }));
  await copyIn(tx, `${into.name} (${names})`, encodeRows(named, rows));
}

/** Makes a stage with keys. A key with a NUL character is left out, because no table can hold it. */
export async function stageKeys(
  tx: PoolClient,
  { purpose, table, columns }: { purpose: string; table: string; columns: readonly CopyColumn[] },
  keys: readonly Row[],
): Promise<Stage> {
  const stage = await openStage(tx, purpose, columns);
  const rows = keys.filter((key) => !key.some((value) => typeof value === 'string' && value.includes('\0')));
  if (rows.length > 0) await copyRows(tx, stage, { table, rows });
  return stage;
}
