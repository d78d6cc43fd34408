import type { PoolClient } from 'pg';
import { quoteTable } from '../../postgres/names.ts';
import { planByCost, planByKey } from '../../postgres/plan-by-key.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { ColumnValue } from '../../streams/define.ts';
import type { CopyColumn } from '../copy/encode.ts';
import { filterSql, listOf, liveSql, matchSql, softDeleteSql } from './row-sql.ts';
import type { RowTarget } from './row-targets.ts';
import { type Stage, stageKeys } from './staged-rows.ts';

/** Sets of rows that are complete on the platform. A live row of such a set that was not seen is missing. */
export interface WholeSets {
  /**
   * The columns that name a set, best the first columns of the key. Empty where all rows of the table are one
   * set.
   */
  readonly columns: readonly string[];
  /** The values of these columns for each set. `[[]]` stands for the one set of all rows. */
  readonly sets: readonly (readonly ColumnValue[])[];
  /** Keys of the sets that came in an earlier batch, or in a record that could not be used. */
  readonly alsoSeen: readonly (readonly ColumnValue[])[];
  /** Whether missing rows are deleted at once, or the scans that missed them are counted up to a number. */
  readonly missing: 'delete' | { readonly missesAtMost: number };
}

/** Whole sets, and the stage with the rows that this batch has of them. */
export interface StagedSets {
  readonly target: RowTarget;
  /** Undefined if the running transaction has written all these rows to the table itself. */
  readonly stage: Stage | undefined;
  readonly whole: WholeSets;
  /** The position of the batch within its transaction. */
  readonly position: number;
}

/** The rows of whole sets that did not come. */
export interface OutsideSets {
  /** Rows that were deleted. */
  readonly deleted: number;
  /** The sets with rows that were not deleted, by the values of their columns. */
  readonly missing: readonly (readonly ColumnValue[])[];
}

/** Deletes the missing rows of the sets, or counts one more scan that missed them. */
export async function deleteOutsideSets(
  tx: PoolClient,
  schemas: Schemas,
  staged: StagedSets,
): Promise<OutsideSets> {
  const { target, whole, position } = staged;
  if (target.kind === 'details' || (target.kind === 'part' && whole.missing !== 'delete'))
    throw new TypeError(`rows of ${target.table} cannot miss a scan`);
  if (whole.sets.length === 0) return { deleted: 0, missing: [] };
  const { table } = target;
  const seen = await stageKeys(
    tx,
    { purpose: `seen_${position}`, table, columns: columnsOf(target, target.key) },
    whole.alsoSeen,
  );
  const sets =
    whole.columns.length === 0
      ? undefined
      : await stageKeys(
          tx,
          { purpose: `sets_${position}`, table, columns: columnsOf(target, whole.columns) },
          whole.sets,
        );
  const filter = target.kind === 'list' ? [target.filter] : [];
  const missing = missingSql(schemas, staged, { seen, sets });
  // Where the set is the whole table, all of the table is read.
  if (sets === undefined) await planByCost(tx);
  if (whole.missing !== 'delete') {
    const counted = await tx.query<{ missing: ColumnValue[][] | null }>(
      countMissSql(schemas, staged, missing),
      [...filter, whole.missing.missesAtMost],
    );
    await planByKey(tx);
    return { deleted: 0, missing: counted.rows[0]?.missing ?? [] };
  }
  const { rows } = await tx.query<{ deleted: number }>(softDeleteSql(schemas, target, missing), filter);
  await planByKey(tx);
  return { deleted: rows[0]?.deleted ?? 0, missing: [] };
}

function columnsOf(target: RowTarget, names: readonly string[]): CopyColumn[] {
  return names.map((name) => {
    const column = target.columns.find((each) => each.name === name);
    if (column === undefined) throw new TypeError(`table ${target.table} has no column ${name}`);
    return column;
  });
}

/**
 * Builds the query for the keys of live rows of the sets that did not come. `except` hashes or sorts. An anti
 * join might compare each row with each, because the temporary tables have no statistics. `offset 0` keeps
 * the lookup of each set apart, so that it goes by the index.
 */
function missingSql(
  schemas: Schemas,
  { target, stage, whole }: StagedSets,
  { seen, sets }: { seen: Stage; sets: Stage | undefined },
): string {
  const { key, kind } = target;
  const conditions = [
    ...(kind === 'list' ? [filterSql('_t')] : []),
    // The row has come if this transaction wrote it.
    ...(stage === undefined ? ['_t.xmin <> pg_current_xact_id()::xid'] : []),
  ];
  const mayMiss = conditions.map((condition) => ` and ${condition}`).join('');
  const cameSql = [...(stage === undefined ? [] : [stage]), seen].map(
    ({ name }) => `select ${listOf(key)} from ${name}`,
  );
  const table = `${quoteTable(schemas.data, target.table)} as _t`;
  const live =
    sets === undefined
      ? `select ${listOf(key)} from ${table} where _t.deleted_at is null${mayMiss}`
      : `select _k.* from ${sets.name} as _s cross join lateral (
           select ${listOf(key, '_t.')} from ${table} where ${matchSql(whole.columns, '_t', '_s')} and ${liveSql('_t')}${mayMiss} offset 0) as _k`;
  return `(${live}) except (${cameSql.join(' union all ')})`;
}

/**
 * Builds the statement that counts one more scan that missed the rows which the query `missing` selects. It
 * returns the sets of these rows. A row that has missed enough scans costs no more writes.
 */
function countMissSql(schemas: Schemas, { target, whole }: StagedSets, missing: string): string {
  const { table, key } = target;
  const name = quoteTable(schemas.data, table);
  return `
    with _gone as materialized (${missing} order by ${listOf(key)}),
    _old as materialized (
      select _k.* from _gone as _g cross join lateral (
        select ${listOf(key, '_t.')} from ${name} as _t
        where ${matchSql(key, '_t', '_g')} and ${liveSql('_t')} and _t.missed_scans < $2
        limit 1 for no key update) as _k),
    _counted as (
      insert into ${name} as _t (${listOf(key)}) select ${listOf(key)} from _old
      on conflict (${listOf(key)}) do update set missed_scans = least(_t.missed_scans + 1, $2))
    select json_agg(distinct json_build_array(${listOf(whole.columns)})::jsonb) as missing from _gone`;
}
