import type { PoolClient } from 'pg';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { FILLED, filledColumnsOf } from './filled-columns.ts';
import { beforeSql, listOf, matchSql, noteSql } from './row-sql.ts';
import { type RowTarget, rawColumns } from './row-targets.ts';
import type { Stage } from './staged-rows.ts';

/** The numbers of rows with distinct keys: a key that came twice counts once. */
export interface MergeCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Updated rows that had been deleted before. */
  readonly restored: number;
}

/**
 * The most rounds of a merge. A further round is needed when another session has just inserted one of the
 * rows.
 */
const MAX_ROUNDS = 10;

/**
 * Brings a table up to date with the staged rows. New keys are inserted, changed rows updated, and deleted
 * rows restored. Updated and restored rows are noted in the ledger. Unchanged rows cost no write, not even a
 * lock. The last of several rows with the same key counts.
 *
 * Throws an `Error` if other sessions insert or delete the same rows in every round.
 */
export async function mergeRows(
  tx: PoolClient,
  schemas: Schemas,
  { target, stage }: { target: RowTarget; stage: Stage },
): Promise<MergeCounts> {
  const sql = mergeSql(schemas, target, stage);
  let [inserted, updated, restored] = [0, 0, 0];
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const { rows } = await tx.query<Record<'total' | 'fresh' | 'inserted' | 'updated' | 'restored', number>>(
      sql,
      target.kind === 'list' ? [target.filter] : [],
    );
    const [counts] = rows;
    if (counts === undefined) throw new Error(`the merge of ${target.table} returned no counts`);
    inserted += counts.inserted;
    updated += counts.updated;
    restored += counts.restored;
    // A key that another session inserted meanwhile is compared in the next round, which sees its row.
    if (counts.inserted === counts.fresh)
      return { inserted, updated, restored, unchanged: counts.total - inserted - updated };
  }
  throw new Error(`other sessions insert and delete rows of ${target.table} while they are merged`);
}

/** Builds the parts of the SQL in which lists, parts and details differ. */
function piecesOf(target: RowTarget) {
  const { key, columns, kind, filled } = target;
  const names = columns.map(({ name }) => name);
  const values = names.filter((name) => !key.includes(name));
  const raws = values.filter((name) => rawColumns.includes(name));
  const facts = values.filter((name) => !rawColumns.includes(name));
  const isList = kind === 'list';
  const isDetails = kind === 'details';
  const deleted = isDetails ? 'false' : '_t.deleted_at is not null';
  const scanned = isList ? ' or _t.missed_scans <> 0 or _t.filter is distinct from $1' : '';
  const shared = filledColumnsOf(target);
  const notes = filled.length === 0 ? [] : [FILLED];
  const afterwards = (right: string) => (name: string) =>
    filled.includes(name) ? shared.value(name, right) : `${right}.${quoteName(name)}`;
  const refilled = (right: string) =>
    filled.length === 0 ? '' : ` or _t.${FILLED} is distinct from ${shared.names(right)}`;
  return {
    names,
    deleted,
    // The comparison stands in the SQL twice: a row may have changed between the first look and the lock.
    changed: (right: string) => `(${deleted} or ${differSql(facts, afterwards(right))})`,
    stale: (right: string) => `(${differSql(raws, afterwards(right))}${scanned}${refilled(right)})`,
    blank: isDetails ? blankSql(target, facts) : 'false',
    join: isDetails ? 'join' : 'left join',
    columns: `${listOf(names)}${isList ? ', filter' : ''}`,
    selected: `${listOf(names)}${isList ? ', $1::text as _filter' : ''}`,
    /**
     * The columns that an existing row takes unchanged from the incoming row, and those that follow from both
     * rows.
     */
    taken: (right: string) =>
      listOf(
        names.filter((name) => !filled.includes(name)),
        `${right}.`,
      ),
    met: (right: string) =>
      [
        ...filled.map((name) => `${shared.value(name, right)} as ${quoteName(name)}, `),
        ...notes.map((name) => `${shared.names(right)} as ${name}, `),
      ].join(''),
    notes: notes.map((name) => `, ${name}`).join(''),
    set: [
      ...[...values, ...notes].map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`),
      'changed_at = excluded.changed_at',
      ...(isDetails ? [] : ['deleted_at = null']),
      ...(isList ? ['missed_scans = 0', 'filter = excluded.filter'] : []),
    ].join(', '),
  };
}

/** Builds the condition that a row had no details before. Its first details are not noted as a change. */
function blankSql({ filled }: RowTarget, facts: readonly string[]): string {
  const own = facts.filter((name) => !filled.includes(name));
  if (own.length === 0) return 'false';
  return [...own, ...(filled.length === 0 ? [] : [FILLED])]
    .map((name) => `_t.${quoteName(name)} is null`)
    .join(' and ');
}

function mergeSql(schemas: Schemas, target: RowTarget, stage: Stage): string {
  const { key } = target;
  const table = quoteTable(schemas.data, target.table);
  const { names, deleted, changed, stale, blank, join, columns, selected, taken, met, notes, set } =
    piecesOf(target);

  // In a stage that was just filled, the order of `ctid` is the order of the rows, so the last row of a key
  // wins. Each row is looked up by its key: the planner has no statistics of the stage, and might read the
  // whole table for every batch. Rows are written in the order of the key, so that two loads lock them in the
  // same order. Equal rows are left out before any lock, because a lock is a write too.
  return `
    with _latest as (
      select distinct on (${listOf(key)}) ${listOf(names)} from ${stage.name} order by ${listOf(key)}, ctid desc),
    _compared as materialized (
      select _l.*, _k._found, _k._equal from _latest as _l ${join} lateral (
        select true as _found, not (${changed('_l')} or ${stale('_l')}) as _equal
        from ${table} as _t where ${matchSql(key, '_t', '_l')} limit 1) as _k on true),
    _old as materialized (
      select ${taken('_c')}, _k.* from _compared as _c cross join lateral (
        select ${met('_c')}${changed('_c')} as _changed, ${stale('_c')} as _stale, ${blank} as _blank, ${deleted} as _back, _t.changed_at as _changed_at,
          ${beforeSql('_t')} as _before
        from ${table} as _t where ${matchSql(key, '_t', '_c')} limit 1 for no key update) as _k
      where not _c._equal),
    _inserted as (
      insert into ${table} (${columns}) select ${selected} from _compared where _found is null order by ${listOf(key)}
      on conflict (${listOf(key)}) do nothing returning 1),
    _rewritten as (
      insert into ${table} (${columns}${notes}, changed_at)
      select ${selected}${notes}, case when _changed then now() else _changed_at end as _at from _old where _changed or _stale
      on conflict (${listOf(key)}) do update set ${set}),
    _noted as (${noteSql(schemas, target, {
      source: '_old where _changed and not _blank',
      kind: `case when _back then 'restored' else 'updated' end`,
    })})
    select count(*)::int as total, count(*) filter (where _found is null)::int as fresh,
      (select count(*)::int from _inserted) as inserted,
      (select count(*)::int from _old where _changed) as updated,
      (select count(*)::int from _old where _changed and _back) as restored
    from _compared`;
}

/** Builds the condition that one of these columns of `_t` differs from its value after the merge. */
function differSql(names: readonly string[], afterwards: (name: string) => string): string {
  if (names.length === 0) return 'false';
  return `row(${listOf(names, '_t.')}) is distinct from row(${names.map(afterwards).join(', ')})`;
}
