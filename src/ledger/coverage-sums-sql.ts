import { numbersText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { idsText } from './gaps-sql.ts';
import { rangesText } from './range-text.ts';

/** Series of a stream in a store whose ranges are summed up by group. */
export interface SumsQuestion {
  readonly store: string;
  /** Name of the stream with its aggregate, as in `CoverageChange`. */
  readonly stream: string;
  /** Distinct numbers of the series. */
  readonly seriesIds: readonly number[];
  /** The group of each series: a number for each of `seriesIds`. */
  readonly groups: readonly number[];
  /** What is summed up: the ranges that are not covered, or those that are. */
  readonly part: 'missing' | 'stored';
  /** The ranges in which the parts are looked for. */
  readonly within: readonly Range[];
  /** Parts that are short and end late do not count. All parts count if undefined. */
  readonly leaveOut?: ShortAndLate | undefined;
  /** The parts that count are cut to this range. */
  readonly view: Range;
}

/** Ranges that end after an instant and are shorter than a number of microseconds. */
export interface ShortAndLate {
  readonly endsAfter: number;
  readonly shorterThanUs: number;
}

const parts: Readonly<Record<SumsQuestion['part'], string>> = {
  missing: `$5::tstzmultirange - coalesce(c.covered, '{}')`,
  stored: `coalesce(c.covered, '{}') * $5::tstzmultirange`,
};

/**
 * Returns the head of a query: the table expression `part (g, n, first, a, b)`. A row says that `n` series of
 * group `g` have the part `[a, b)`, in microseconds after the begin of the view. `first` is one of the
 * series. Series with equal parts are taken together, since most series are equal. `table` is quoted.
 *
 * Doubles hold an epoch to the microsecond up to the year 2242, and are far quicker than `extract`.
 */
export function partsSql(table: string, { part, leaveOut }: Pick<SumsQuestion, 'part' | 'leaveOut'>): string {
  const micros = (bound: string) => `round(date_part('epoch', ${bound}) * 1e6)::bigint - $6::bigint`;
  const left = leaveOut === undefined ? '' : 'and not (b > $8::bigint and b - a < $9::bigint)';
  return `with have as materialized (
      select g, ${parts[part]} as found, count(*) as n, min(id) as first
      from unnest($1::bigint[], $2::int[]) as asked (id, g)
      left join ${table} as c on c.store = $3 and c.stream = $4 and c.series_id = id
      group by g, found),
    bounds as (
      select g, n, first, ${micros('lower(r)')} as a, ${micros('upper(r)')} as b
      from have, unnest(found) as r),
    part as (
      select g, n, first, greatest(a, 0) as a, least(b, $7::bigint) as b
      from bounds where b > 0 and a < $7::bigint ${left})`;
}

/** Returns the values of `$1` to `$7`, and of `$8` and `$9` if short and late parts are left out. */
export function partsValues(question: SumsQuestion): unknown[] {
  const { store, stream, seriesIds, groups, within, view, leaveOut } = question;
  const { from, to } = view;
  return [
    ...[idsText(seriesIds), numbersText(groups), store, stream, rangesText(within), from, to - from],
    ...(leaveOut === undefined ? [] : [Math.ceil(leaveOut.endsAfter) - from, leaveOut.shorterThanUs]),
  ];
}
