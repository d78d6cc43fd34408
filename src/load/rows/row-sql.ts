import { escapeLiteral } from 'pg';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';

/** A table whose rows are found by a key. */
export interface KeyedTable {
  readonly table: string;
  readonly key: readonly string[];
}

/** Columns that say nothing of the thing itself: they are no part of what was true before a change. */
const UNREMEMBERED = "'{missed_scans,filter,raw,detail_raw,detail_filled}'::text[]";

// No declared column has a name that begins with an underscore, so the aliases in these statements hide none.

/** The row of `alias` as it goes into `changes.before`. */
export function beforeSql(alias: string): string {
  return `to_jsonb(${alias}) - ${UNREMEMBERED}`;
}

/** The condition that a row is one that a scan under the filter `$1` can show: any row where it is null, since then the whole list is read. */
export function filterSql(alias: string): string {
  return `($1::text is null or ${alias}.filter = $1)`;
}

/** Names as a list, each after the prefix. */
export function listOf(names: readonly string[], prefix = ''): string {
  return names.map((name) => `${prefix}${quoteName(name)}`).join(', ');
}

/** The condition that two rows have equal values in these columns, which are null in neither. */
export function matchSql(names: readonly string[], left: string, right: string): string {
  return names.map((name) => `${left}.${quoteName(name)} = ${right}.${quoteName(name)}`).join(' and ');
}

/** An insert into `changes` of what is selected from `source`: `_before` and the key columns of each row; `kind` is SQL. */
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
 * The statement that deletes, softly, the live rows with the keys that `gone` selects, and returns their number as `deleted`. The
 * rows are found one by one by their key and locked in its order; the insert is one that always meets its row, because the planner
 * cannot be led to read the whole table for it. `still` is a condition on a row `_r` that must hold when it is locked.
 */
export function softDeleteSql(schemas: Schemas, rows: KeyedTable, gone: string, still = 'true'): string {
  const { table, key } = rows;
  const name = quoteTable(schemas.data, table);
  return `
    with _gone as materialized (${gone} order by ${listOf(key)}),
    _old as materialized (
      select _t.* from _gone as _g cross join lateral (
        select ${listOf(key, '_r.')}, ${beforeSql('_r')} as _before from ${name} as _r
        where ${matchSql(key, '_r', '_g')} and _r.deleted_at is null and ${still} limit 1 for no key update) as _t),
    _deleted as (
      insert into ${name} (${listOf(key)}) select ${listOf(key)} from _old
      on conflict (${listOf(key)}) do update set deleted_at = now(), changed_at = now() returning 1),
    _noted as (${noteSql(schemas, rows, { source: '_old', kind: "'deleted'" })})
    select count(*)::int as deleted from _deleted`;
}
