import type { PoolClient } from 'pg';
import type { Database } from '../postgres/connect.ts';
import { planInMemory } from '../postgres/plan-by-key.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { numbersText } from '../postgres/type-parsers.ts';

/**
 * Series whose coverage is looked at in sum. They are given by number, or as all series of some parts of the
 * choice.
 */
export type SummedSeries = { readonly ids: readonly number[] } | { readonly parts: readonly number[] };

/** The tables that the sums are made of, quoted. */
export interface CoverageTables {
  readonly coverage: string;
  readonly shapes: string;
  readonly changes: string;
}

const MEASURES = ['seconds', 'begins', 'first_ends', 'gap_begins', 'last_begins', 'ends'];
const COLUMNS = ['store', 'part', 'digest', 'covered', ...MEASURES];

/**
 * Returns the head of a query: the table expression `shape`, with `store`, `covered` and the measures of the
 * ranges. A row says that `n` of the series have just these ranges in a store. Series without coverage have
 * no row. `$1` is the stream, `$2` the stores as an array, and `$3` comes from `summedValue`.
 *
 * The shapes of a part are kept by triggers, so that this reads as many rows as there are shapes. Postgres
 * may share them among its workers, so nothing here is materialized. Without statistics a join with the
 * changes might compare each shape with each change, so they are excluded by `not in`. `askShapes` asks the
 * query. Series by number are looked up one by one, and their ranges have no measures.
 */
export function shapesSql({ coverage, shapes, changes }: CoverageTables, series: SummedSeries): string {
  if ('ids' in series)
    return `with shape as not materialized (
      select c.store, c.covered, ${MEASURES.map((name) => `null::float8 as ${name}`).join(', ')}, count(*)::float8 as n
      from unnest($2::text[]) as w (store) cross join unnest($3::bigint[]) as asked (id)
      join ${coverage} as c on c.store = w.store and c.stream = $1 and c.series_id = asked.id
      group by c.store, c.covered)`;
  const own = (table: string) =>
    `${table}.stream = $1 and ${table}.store = any($2) and ${table}.part = any($3::int[])`;
  const columns = (table: string) => COLUMNS.map((name) => `${table}.${name}`).join(', ');
  return `with shape as not materialized (
      select ${columns('s')}, s.series::float8 as n from ${shapes} as s
      where ${own('s')} and (s.digest, s.part, s.store) not in (
        select c.digest, c.part, c.store from ${changes} as c where ${own('c')})
      union all
      select ${columns('d')}, d.n + coalesce(s.series, 0) as n
      from (
        select store, part, digest, covered, ${MEASURES.map((name) => `min(${name}) as ${name}`).join(', ')},
          sum(series)::float8 as n
        from ${changes} as c where ${own('c')} group by store, part, digest, covered) as d
      left join ${shapes} as s
        on ${own('s')} and s.store = d.store and s.part = d.part and s.digest = d.digest)`;
}

/** A query with the head of `shapesSql`. */
export interface ShapesQuestion {
  /** The work in words, for errors: "adding up gaps". */
  readonly what: string;
  readonly series: SummedSeries;
  readonly sql: string;
  readonly values: unknown[];
}

/** Asks a query about shapes, with memory for all changes. */
export async function askShapes(
  db: Database,
  { what, series, sql, values }: ShapesQuestion,
): Promise<Record<string, unknown>[]> {
  if ('ids' in series) return (await db.query(sql, values)).rows;
  const ask = async (tx: PoolClient) => {
    await planInMemory(tx);
    return (await tx.query<Record<string, unknown>>(sql, values)).rows;
  };
  return inTransaction(db, ask, { what });
}

/** Returns the SQL of how many series there are, with coverage or without. */
export function countSql({ shapes, changes }: CoverageTables, series: SummedSeries): string {
  if ('ids' in series) return 'cardinality($3::bigint[])';
  const kept = (table: string) =>
    `(select coalesce(sum(series), 0) from ${table} where store = '' and stream = '' and part = any($3::int[]))`;
  return `(${kept(shapes)} + ${kept(changes)})`;
}

export function summedValue(series: SummedSeries): string {
  return 'ids' in series ? numbersText(new Set(series.ids)) : numbersText(series.parts);
}
