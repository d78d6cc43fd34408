import { type BiView, selectTags, tagColumns } from '../bi-view.ts';
import { isStoredHere, mayBeNumericSql, rarely, secondsSql } from '../history-sql.ts';

/**
 * The consumption of a day is what its points add up to. A step counts on the day of the later point. Over a
 * range that is not stored it counts only within a day: else nobody knows on which day it belongs.
 */
const counterDaily: BiView = {
  name: 'counter_daily',
  about:
    'Consumption per day of series that count up: one row for each day from the first to the last stored one. It has a meaning for counters only. Filter by object, property and day.',
  columns: [
    ...tagColumns,
    { name: 'day', type: 'date', about: 'Day in the time zone of the plant.' },
    {
      name: 'consumption',
      type: 'double precision',
      about:
        'Sum of the steps between points; after a reset the new value counts. Null if nothing is known of the day.',
    },
    { name: 'resets', type: 'integer', about: 'Number of times that the counter went back.' },
    { name: 'share', type: 'double precision', about: 'Share of the day that is stored, 0 to 1.' },
  ],
  sql: (names) => {
    const { bi, data, ledger, zone } = names;
    return `
    select ${selectTags('t')}, d.day::date as day,
      case when r.steps > 0 or r.is_known then r.consumption end as consumption,
      case when r.steps > 0 or r.is_known then r.resets end as resets,
      (select coalesce(sum(${secondsSql('lower(x.span)', 'upper(x.span)')}), 0)
        from unnest(c.covered * tstzmultirange(tstzrange(b.begins, b.ends))) as x (span))
        / ${secondsSql('b.begins', 'b.ends')} as share
    from ${bi}.tags as t
    join ${ledger}.coverage as c on c.series_id = t.series_id and ${isStoredHere(names, 'c')}
    cross join lateral generate_series(
      date_trunc('day', lower(c.covered) at time zone ${zone}),
      date_trunc('day', case when t.live then now() else upper(c.covered) - interval '1 us' end at time zone ${zone}),
      interval '1 day') as d (day)
    cross join lateral (
      select d.day at time zone ${zone} as begins, (d.day + interval '1 day') at time zone ${zone} as ends) as b
    left join lateral (
      -- The value of the counter when the day begins, if no range before the point of the day is missing.
      select o.value, s.span
      from (select s.span from unnest(c.covered) as s (span) where s.span @> b.begins limit 1) as s
      cross join lateral (
        select o.value from ${data}.samples as o
        where o.series_id = t.series_id and o.at >= lower(s.span) and o.at < b.begins and o.value is not null
        order by o.at desc limit 1) as o) as before on true
    cross join lateral (
      select coalesce(sum(case when p.value >= p.last then p.value - p.last when p.last is not null
          then greatest(p.value, 0) end), 0) as consumption,
        count(p.last)::integer as steps, (count(*) filter (where p.value < p.last))::integer as resets,
        coalesce(bool_or(c.covered @> p.at), false) or before.value is not null as is_known
      from (
        select o.at, o.value, coalesce(lag(o.value) over (order by o.at),
          case when o.at < upper(before.span) then before.value end) as last
        from ${data}.samples as o
        where o.series_id = t.series_id and o.at >= b.begins and o.at < b.ends and o.value is not null) as p) as r
    where ${mayBeNumericSql('t')} and ${rarely('d.day is not null')}`;
  },
};

export const counterViews: readonly BiView[] = [counterDaily];
