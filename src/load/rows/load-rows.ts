import type { PoolClient } from 'pg';
import { messageOf } from '../../errors.ts';
import type { Database } from '../../postgres/connect.ts';
import { insertOrMerge } from '../../postgres/insert-or-merge.ts';
import { quoteTable } from '../../postgres/names.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import { sqlState } from '../../postgres/postgres-errors.ts';
import type { Transaction } from '../../postgres/queryable.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { ColumnValue, Row } from '../../streams/define.ts';
import { createKeyReader } from '../../streams/row-key.ts';
import type { CopyColumn } from '../copy/encode.ts';
import { type MergeCounts, mergeRows } from './merge-rows.ts';
import type { RowTarget } from './row-targets.ts';
import { copyRows, openStage, type Stage } from './staged-rows.ts';
import { deleteOutsideSets, type WholeSets } from './whole-sets.ts';

export type { WholeSets } from './whole-sets.ts';

/** Rows of one table, and the sets of rows that are complete with them. */
export interface RowBatch {
  readonly target: RowTarget;
  readonly rows: readonly Row[];
  readonly whole?: WholeSets;
  /**
   * True for a list or a part whose table was empty when the scan began. For a list it is a hint: if it is
   * wrong, rows are merged. For a part it must be true. If all rows of the first batch are new, the table
   * then holds no parts of these rows.
   */
  readonly beganEmpty?: boolean;
}

/** The counts of a loaded batch. Details whose row does not exist are not counted. */
export interface LoadResult extends MergeCounts {
  /** Missing rows that were deleted at once. */
  readonly deleted: number;
  /** The whole sets of a list that have live rows which did not come, by the values of their columns. */
  readonly missing: readonly (readonly ColumnValue[])[];
  /** Rows that Postgres cannot hold; the others are loaded. */
  readonly refused: readonly RefusedRow[];
}

export interface RefusedRow {
  readonly row: Row;
  /** The message of Postgres. */
  readonly reason: string;
}

/** The column that holds the filter of a list. */
const FILTER: CopyColumn = { name: 'filter', type: 'text' };

type Merged = Omit<LoadResult, 'deleted' | 'missing'>;

/**
 * A way to load rows. `copy` writes the rows of tables that began empty straight to them, at half the cost of
 * a merge, and merges the others. It fails with a duplicate key if one of the rows is not new. `divide` finds
 * the rows that Postgres cannot hold.
 */
type Way = 'copy' | 'merge' | 'divide';

interface StagedBatch {
  readonly target: RowTarget;
  readonly rows: readonly Row[];
  readonly stage: Stage;
}

/**
 * Loads batches of rows in one transaction, in their order. The rows of each batch are merged into their
 * table, or copied to it if it began empty. Then the missing rows of its whole sets are deleted or counted.
 * Changes are noted in the ledger, and unchanged rows cost no write.
 *
 * `commit` runs inside the transaction, after the rows, with the result of each batch. It may run more than
 * once. A row that Postgres cannot hold is refused, and still counts as seen.
 */
export async function loadRows(
  db: Database,
  schemas: Schemas,
  batches: readonly RowBatch[],
  commit?: (tx: Transaction, results: readonly LoadResult[]) => Promise<void>,
): Promise<LoadResult[]> {
  const what = `loading ${batches.map(({ target }) => target.table).join(', ')}`;
  const load = (way: Way) =>
    inTransaction(
      db,
      async (tx) => {
        await planByKey(tx);
        const results: LoadResult[] = [];
        for (const [position, batch] of batches.entries()) {
          const needed = batch.beganEmpty && areNew(batches[0], results[0]) ? withoutSets(batch) : batch;
          results.push(await loadBatch(tx, schemas, { batch: needed, position, way }));
        }
        await commit?.(tx, results);
        return results;
      },
      { what },
    );
  try {
    if (!batches.some(({ beganEmpty }) => beganEmpty)) return await load('merge');
    return await insertOrMerge(
      () => load('copy'),
      () => load('merge'),
    );
  } catch (error) {
    if (!isAboutData(error)) throw error;
    return load('divide');
  }
}

function areNew(batch: RowBatch | undefined, result: LoadResult | undefined): boolean {
  return batch !== undefined && result?.inserted === batch.rows.length;
}

function withoutSets({ whole: _, ...batch }: RowBatch): RowBatch {
  return batch;
}

async function loadBatch(
  tx: PoolClient,
  schemas: Schemas,
  { batch, position, way }: { batch: RowBatch; position: number; way: Way },
): Promise<LoadResult> {
  const { target, rows, whole, beganEmpty = false } = batch;
  const stage =
    way === 'copy' && beganEmpty ? undefined : await openStage(tx, `incoming_${position}`, target.columns);
  const merged = await loadBatchRows(tx, schemas, { batch, stage, way });
  if (whole === undefined) return { ...merged, deleted: 0, missing: [] };
  // After dividing, the stage holds only the rows of the last attempt.
  const alsoSeen =
    way === 'divide' ? [...whole.alsoSeen, ...rows.map(createKeyReader(target))] : whole.alsoSeen;
  const outside = await deleteOutsideSets(tx, schemas, {
    target,
    stage,
    whole: { ...whole, alsoSeen },
    position,
  });
  return { ...merged, ...outside };
}

async function loadBatchRows(
  tx: PoolClient,
  schemas: Schemas,
  { batch: { target, rows }, stage, way }: { batch: RowBatch; stage: Stage | undefined; way: Way },
): Promise<Merged> {
  if (rows.length === 0) return nothing;
  if (stage === undefined) return insertRows(tx, schemas, { target, rows });
  if (way === 'divide') return mergeByHalves(tx, schemas, { target, rows, stage });
  return mergeAtOnce(tx, schemas, { target, rows, stage });
}

async function insertRows(
  tx: PoolClient,
  schemas: Schemas,
  { target: { table, columns, filter }, rows }: RowBatch,
): Promise<Merged> {
  const isFiltered = filter !== null;
  await copyRows(
    tx,
    { name: quoteTable(schemas.data, table), columns: isFiltered ? [...columns, FILTER] : columns },
    { table, rows: isFiltered ? rows.map((row) => [...row, filter]) : rows },
  );
  return { ...nothing, inserted: rows.length };
}

async function mergeAtOnce(
  tx: PoolClient,
  schemas: Schemas,
  { target, rows, stage }: StagedBatch,
): Promise<Merged> {
  await copyRows(tx, stage, { table: target.table, rows });
  return { ...(await mergeRows(tx, schemas, { target, stage })), refused: [] };
}

/**
 * Merges rows, and finds those that Postgres cannot hold by halving the batch. Each attempt runs within a
 * savepoint.
 */
function mergeByHalves(
  tx: PoolClient,
  schemas: Schemas,
  { target, rows, stage }: StagedBatch,
): Promise<Merged> {
  const mergeHalf = async (half: readonly Row[]): Promise<Merged> => {
    await tx.query('savepoint half');
    try {
      const merged = await mergeAtOnce(tx, schemas, { target, rows: half, stage });
      await tx.query(`delete from ${stage.name}; release savepoint half`);
      return merged;
    } catch (error) {
      if (!isAboutData(error)) throw error;
      await tx.query('rollback to savepoint half; release savepoint half');
      const [row] = half;
      if (row !== undefined && half.length === 1)
        return { ...nothing, refused: [{ row, reason: messageOf(error) }] };
      const middle = Math.ceil(half.length / 2);
      return addUp(await mergeHalf(half.slice(0, middle)), await mergeHalf(half.slice(middle)));
    }
  };
  return mergeHalf(lastOfEachKey(target, rows));
}

/**
 * Tells whether single rows caused the error: a data exception (class 22) or an exceeded limit (class 54).
 * Such a row must not hold up the others.
 */
function isAboutData(error: unknown): boolean {
  return /^(?:22|54)/.test(sqlState(error) ?? '');
}

/** Keeps the last row of each key. Else halving could load two rows of one key one after the other. */
function lastOfEachKey(target: RowTarget, rows: readonly Row[]): Row[] {
  const keyOf = createKeyReader(target);
  return [...new Map(rows.map((row) => [JSON.stringify(keyOf(row).map(String)), row])).values()];
}

const nothing: Merged = { inserted: 0, updated: 0, unchanged: 0, restored: 0, refused: [] };

function addUp(a: Merged, b: Merged): Merged {
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    restored: a.restored + b.restored,
    refused: [...a.refused, ...b.refused],
  };
}
