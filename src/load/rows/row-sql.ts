import { escapeLiteral } from 'pg';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';

/** A table whose rows are found by a key. */
export interface KeyedTable {
  readonly table: string;
  readonly key: readonly string[];
}

/**
 * Columns that say nothing about the thing itself. The ledger does not keep their values from before a
 * change.
 */
const UNREMEMBERED = "'{missed_scans,filter,raw,detail_raw,detail_filled}'::text[]";

// The aliases in these statements begin with an underscore, which no declared column does.

/** Builds the SQL of the row of `alias` as it is kept in `changes.before`. */
export function beforeSql(alias: string): string {
  return `to_jsonb(${alias}) - ${UNREMEMBERED}`;
}

/**
 * Builds the condition for a row that a scan under the filter `$1` can show. Where `$1` is null, the whole
 * list is scanned and every row fits.
 */
export function filterSql(alias: string): string {
  return `($1::text is null or ${alias}.filter = $1)`;
}

/** Joins quoted names to a list, each after the prefix. */
export function listOf(names: readonly string[], prefix = ''): string {
  return names.map((name) => `${prefix}${quoteName(name)}`).join(', ');
}

/**
 * Builds the condition that a row, which is looked up by its key, is live. `is null` would let the planner
 * take an index of live rows. Without statistics it reads all of that index for each key.
 */
export function liveSql(alias: string): string {
  return `num_nulls(${alias}.deleted_at) = 1`;
}

/** Builds the condition that two rows have equal values in these columns, none of which is null. */
export function matchSql(names: readonly string[], left: string, right: string): string {
  return names.map((name) => `${left}.${quoteName(name)} = ${right}.${quoteName(name)}`).join(' and ');
}

/**
 * Builds the statement that inserts a row into `changes` for each row of `source`, which has `_before` and
 * the key columns. `kind` is SQL.
 */
export function noteSql(
  { ledger }: Schemas,
  { table, key }: KeyedTable,
  { source, kind }: { source: string; kind: string },
): string {
  const members = key.map((name) => `${escapeLiteral(name)}, ${quoteName(name)}`).join(', ');
  return `insert into ${quoteTable(ledger, 'changes')} (table_name, key, kind, before)
    select ${escapeLiteral(table)}, jsonb_build_object(${members}), ${kind}, _before from ${source}`;
}

/**
 * Builds the statement that deletes, softly, the live rows whose keys the query `gone` selects. It returns
 * their number as `deleted`. `still` is a condition that must hold for the row `_r` once it is locked.
 *
 * The rows are looked up by their key and locked in the order of the key. The write is an insert that always
 * conflicts, because then the planner cannot read the whole table.
 */
export function softDeleteSql(schemas: Schemas, rows: KeyedTable, gone: string, still = 'true'): string {
  const { table, key } = rows;
  const name = quoteTable(schemas.data, table);
  return `
    with _gone as materialized (${gone} order by ${listOf(key)}),
    _old as materialized (
      select _t.* from _gone as _g cross join lateral (
        select ${listOf(key, '_r.')}, ${beforeSql('_r')} as _before from ${name} as _r
        where ${matchSql(key, '_r', '_g')} and ${liveSql('_r')} and ${still} limit 1 for no key update) as _t),
    _deleted as (
      insert into ${name} (${listOf(key)}) select ${listOf(key)} from _old
      on conflict (${listOf(key)}) do update set deleted_at = now(), changed_at = now() returning 1),
    _noted as (${noteSql(schemas, rows, { source: '_old', kind: "'deleted'" })})
    select count(*)::int as deleted from _deleted`;
}
