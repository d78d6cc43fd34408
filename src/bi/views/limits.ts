import { type BiView, selectTags, tagColumns } from '../bi-view.ts';
import { endColumns, selectEnd, stretchesSql } from '../history-sql.ts';

const limitViolations: BiView = {
  name: 'limit_violations',
  about:
    'Times at which values were beyond a limit of property_notes, as the limits are now: one row for each. It lasts from the first point beyond the limit to a point within it. Filter by object, property and from_at.',
  columns: [
    ...tagColumns,
    { name: 'limit_kind', type: 'text', about: 'low: values were below the limit; high: above it.' },
    { name: 'limit_value', type: 'double precision', about: 'The limit.' },
    { name: 'from_at', type: 'timestamptz', about: 'Time of the first point beyond the limit.' },
    ...endColumns('the violation'),
    {
      name: 'extreme',
      type: 'double precision',
      about: 'The least value below low, or the greatest above high.',
    },
  ],
  sql: (names) => {
    const isBeyond = (alias: string) =>
      `case b.kind when 'low' then ${alias}.value < b.bound else ${alias}.value > b.bound end`;
    return `
    select ${selectTags('t')}, b.kind as limit_kind, b.bound as limit_value, p.at as from_at, ${selectEnd},
      (select (case b.kind when 'low' then min(o.value) else max(o.value) end) from ${names.data}.samples as o
        where o.series_id = t.series_id and o.at >= p.at and o.at < e.known_to) as extreme
    ${stretchesSql(names, {
      perSeries: `cross join lateral (values ('low', t.low), ('high', t.high)) as b (kind, bound)`,
      mark: isBeyond,
      begins: `b.bound is not null and ${isBeyond('p')}`,
    })}`;
  },
};

export const limitViews: readonly BiView[] = [limitViolations];
