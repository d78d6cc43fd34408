import { type BiColumn, type BiView, selectTags, tagColumns } from '../bi-view.ts';
import {
  endColumns,
  isBooleanSql,
  isStoredHere,
  secondsSql,
  selectEnd,
  stateSql,
  stretchesSql,
} from '../history-sql.ts';

const state: BiColumn = {
  name: 'state',
  type: 'text',
  about: 'The state: the text of the value; true or false of a boolean.',
};
const value: BiColumn = {
  name: 'value',
  type: 'double precision',
  about: 'The state as a number, at from_at; null if it is none.',
};

const stateIntervals: BiView = {
  name: 'state_intervals',
  about:
    'States of the series by their history in Postgres: one row from when a value came until another came. Ranges that are not stored, and points without a value, end a state. Filter by object, property and from_at; over a long range, states() is faster.',
  columns: [
    ...tagColumns,
    state,
    value,
    { name: 'from_at', type: 'timestamptz', about: 'Time of the first point that tells the state.' },
    ...endColumns('the state'),
  ],
  sql: (names) => {
    const mark = (alias: string) => stateSql(alias, isBooleanSql('t'));
    return `
    select ${selectTags('t')}, ${mark('p')} as state, p.value, p.at as from_at, ${selectEnd}
    ${stretchesSql(names, { mark, begins: `${mark('p')} is not null` })}`;
  },
};

const states: BiView = {
  name: 'states',
  // The columns of the result are parameters too, so that from_at and to_at are taken.
  takes: 'object text, property text, range_from timestamptz, range_to timestamptz',
  about:
    'The states of one property in a range, without a break. Rows with state null are times at which the state is not known. Nothing is told of the future.',
  columns: [
    { ...state, about: `${state.about} Null while it is not known.` },
    value,
    { name: 'from_at', type: 'timestamptz', about: 'When it began, or the begin of the range.' },
    { name: 'to_at', type: 'timestamptz', about: 'When it ended, or the end of the range, or now.' },
    { name: 'duration_sec', type: 'double precision', about: 'Seconds from from_at to to_at.' },
  ],
  sql: (names) => {
    const { bi, data } = names;
    const mark = (alias: string) => stateSql(alias, 'a.is_boolean');
    // The point before a covered range, or before the range that is asked for, tells the state at its begin.
    return `
    with asked as materialized (
      select t.series_id, ${isBooleanSql('t')} as is_boolean,
        tstzrange($3, greatest($3, least($4, now()))) as wanted
      from ${bi}.tags as t where t.object = $1 and t.property = $2),
    stored as materialized (
      select a.*, s.span, lower(s.span * a.wanted) as begins, upper(s.span * a.wanted) as ends
      from asked as a
      join ${bi}.coverage as c on c.series_id = a.series_id and ${isStoredHere(names, 'c')}
      cross join lateral unnest(c.covered) as s (span)
      where s.span && a.wanted),
    told as (
      select a.begins as at, b.value, b.state from stored as a
      left join lateral (
        select o.value, ${mark('o')} as state from ${data}.samples as o
        where o.series_id = a.series_id and o.at <= a.begins and o.at >= lower(a.span)
        order by o.at desc limit 1) as b on true
      union all
      select o.at, o.value, ${mark('o')} from stored as a
      join ${data}.samples as o on o.series_id = a.series_id and o.at > a.begins and o.at < a.ends
      union all
      select lower(g.span), null, null from asked as a
      cross join lateral unnest(tstzmultirange(a.wanted)
        - coalesce((select range_agg(s.span) from stored as s), '{}')) as g (span)),
    compared as (
      select told.*, row_number() over w = 1 or state is distinct from lag(state) over w as begins
      from told window w as (order by at)),
    kept as (
      select state, value, at as from_at, lead(at) over (order by at) as next_at from compared where begins)
    select k.state, k.value, k.from_at, coalesce(k.next_at, upper(a.wanted)) as to_at,
      ${secondsSql('k.from_at', 'coalesce(k.next_at, upper(a.wanted))')} as duration_sec
    from kept as k cross join asked as a order by k.from_at`;
  },
};

export const stateViews: readonly BiView[] = [stateIntervals, states];
