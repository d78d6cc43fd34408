import { escapeLiteral } from 'pg';
import { postgresStoreId } from '../postgres/schemas.ts';
import { booleanTypes, numericTypes } from '../series/primitive-types.ts';
import type { BiColumn, BiNames } from './bi-view.ts';

/**
 * Returns the SQL condition for the coverage `alias` of history that Postgres itself stores. Points that only
 * another store has are not in the tables here.
 */
export function isStoredHere({ data }: BiNames, alias: string): string {
  const schema = data.replace(/^"|"$/g, '').replaceAll('""', '"');
  return `${alias}.store = ${escapeLiteral(postgresStoreId(schema))} and ${alias}.stream = 'history'`;
}

/** Returns the SQL of whether the series `alias` is declared to hold true and false. */
export function isBooleanSql(alias: string): string {
  return `coalesce(${isOneOf(`${alias}.primitive_type`, booleanTypes)}, false)`;
}

/** Returns the SQL of whether the series `alias` may hold numbers: declared as such, or not declared. */
export function mayBeNumericSql(alias: string): string {
  return `(${alias}.primitive_type is null or ${isOneOf(`${alias}.primitive_type`, numericTypes)})`;
}

function isOneOf(type: string, types: readonly string[]): string {
  return `lower(${type}) in (${types.map(escapeLiteral).join(', ')})`;
}

/**
 * Returns the SQL of the state that the point `alias` tells, as text. `isBoolean` is the SQL of a boolean. A
 * point without a value, such as null or NaN, tells no state: null.
 */
export function stateSql(alias: string, isBoolean: string): string {
  return [
    `case when ${alias}.text is not null then ${alias}.text`,
    `when ${isBoolean} and ${alias}.value in (0, 1) then (${alias}.value = 1)::text`,
    `else ${alias}.value::text end`,
  ].join(' ');
}

/** Returns the SQL of the seconds from one instant to another. */
export function secondsSql(from: string, to: string): string {
  return `extract(epoch from ${to} - ${from})::double precision`;
}

/**
 * Returns the SQL of the seconds that something took. They are never negative: clocks of two machines
 * differ.
 */
export function waitSql(from: string, to: string): string {
  return `case when ${to} < ${from} then 0 else ${secondsSql(from, to)} end`;
}

/** Stretches of the history of a series in which something is true. */
export interface Stretches {
  /** SQL of the further row source of each series `t`, such as its limits. */
  readonly perSeries?: string;
  /**
   * Returns SQL about the point of an alias. All along a stretch it has one value, which is not null.
   * Elsewhere it has another.
   */
  readonly mark: (alias: string) => string;
  /** SQL condition for points `p` that may begin a stretch. */
  readonly begins: string;
}

/**
 * Returns the SQL of the stretches: `from`, and `where`. The alias `t` is the series, `p` the first point of
 * the stretch, and `n` the point that ends it. `e` is its end (`known_to`, `is_open`).
 *
 * A stretch never goes on over a range that is not stored. Each point looks up the one before it. So a
 * condition on `p.at` reaches the index, which it would not with window functions.
 */
export function stretchesSql(names: BiNames, { perSeries = '', mark, begins }: Stretches): string {
  const { bi, data, ledger } = names;
  const before = `(select ${mark('o')} from ${data}.samples as o
      where o.series_id = t.series_id and o.at < p.at and o.at >= lower(s.span)
      order by o.at desc limit 1)`;
  return `from ${bi}.tags as t
    join ${ledger}.coverage as c on c.series_id = t.series_id and ${isStoredHere(names, 'c')}
    cross join lateral unnest(c.covered) as s (span)
    cross join lateral (
      select t.live and upper(s.span) = upper(c.covered) and not exists (
        select from ${data}.samples as o where o.series_id = t.series_id and o.at >= upper(s.span)) as is_last
      offset 0) as l
    ${perSeries}
    join ${data}.samples as p
      on p.series_id = t.series_id and p.at >= lower(s.span) and p.at < upper(s.span)
    left join lateral (
      select o.at from ${data}.samples as o
      where o.series_id = t.series_id and o.at > p.at and o.at < upper(s.span)
        and ${mark('o')} is distinct from ${mark('p')}
      order by o.at limit 1) as n on true
    cross join lateral (
      select coalesce(n.at, upper(s.span)) as known_to, n.at is null and l.is_last as is_open) as e
    where ${rarely('s.span is not null')} and ${rarely(begins)} and ${rarely(`${mark('p')} is distinct from ${before}`)}`;
}

/**
 * Returns the SQL of a condition in a form that the planner takes for a rare one. Otherwise it guesses that a
 * series has a hundred covered ranges, and that most points begin a stretch. Then a view seems so costly that
 * PostgreSQL compiles the query, which takes longer than to run it.
 */
export function rarely(condition: string): string {
  return `case when ${condition} then 1 end = 1`;
}

/** The columns that `selectEnd` selects. `what` is `The state` or its like. */
export function endColumns(what: string): BiColumn[] {
  return [
    {
      name: 'to_at',
      type: 'timestamptz',
      about: `When it ended, or until when it is known; null while it goes on.`,
    },
    {
      name: 'duration_sec',
      type: 'double precision',
      about: 'Seconds to to_at; while it goes on, to the end of the stored history.',
    },
    {
      name: 'is_open',
      type: 'boolean',
      about: `Whether ${what} goes on, as far as the history is stored.`,
    },
    {
      name: 'ends_unknown',
      type: 'boolean',
      about: `Whether the end of ${what} lies where the history is not stored: to_at is the last known instant.`,
    },
  ];
}

/** Returns the SQL of the columns of `endColumns` for a query of `stretchesSql`. */
export const selectEnd = `case when not e.is_open then e.known_to end as to_at,
      ${secondsSql('p.at', 'e.known_to')} as duration_sec, e.is_open, n.at is null and not e.is_open as ends_unknown`;
