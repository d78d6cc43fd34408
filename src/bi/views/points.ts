import { type BiColumn, type BiView, selectTags, tagColumns } from '../bi-view.ts';

const value: readonly BiColumn[] = [
  {
    name: 'value',
    type: 'double precision',
    about: 'The value as a number; null if it has none. Of a boolean 1 or 0.',
  },
  {
    name: 'text',
    type: 'text',
    about:
      'The value as text: where the property is no number, or the value does not fit. All digits of a large integer.',
  },
  {
    name: 'quality',
    type: 'text',
    about:
      'Why the value is not a plain one: null, nan, infinity, mistyped, replaced. Null for an ordinary value.',
  },
];

const points: BiView = {
  name: 'points',
  about: 'Points of history: one row for each series and time.',
  columns: [
    ...tagColumns,
    { name: 'at', type: 'timestamptz', about: 'Time of the value, as the platform states it.' },
    ...value,
  ],
  sql: ({ bi, data }) => `
    select ${selectTags('t')}, p.at, p.value, p.text, p.quality
    from ${data}.samples as p join ${bi}.tags as t on t.series_id = p.series_id`,
};

/** One look into the index of each table for each series, however many points there are. */
const latest: BiView = {
  name: 'latest',
  about: 'The newest value of each series, of history or of a poll. A series without any has nulls.',
  columns: [
    ...tagColumns,
    { name: 'at', type: 'timestamptz', about: 'Time of the newest value; null if there is none.' },
    ...value,
    { name: 'age_sec', type: 'double precision', about: 'Seconds from that time to now.' },
    { name: 'source', type: 'text', about: 'Where the value comes from: history or poll.' },
  ],
  sql: ({ bi, data }) => `
    select ${selectTags('t')}, newest.at, newest.value, newest.text, newest.quality,
      extract(epoch from now() - newest.at)::double precision as age_sec, newest.source
    from ${bi}.tags as t left join lateral (
      select * from (
        (select p.at, p.value, p.text, p.quality, 'history' as source
          from ${data}.samples as p where p.series_id = t.series_id order by p.at desc limit 1)
        union all
        (select c.at, c.value, c.text, c.quality, 'poll'
          from ${data}.current_values as c where c.series_id = t.series_id)) as both_sources
      order by at desc, source limit 1) as newest on true`,
};

export const pointViews: readonly BiView[] = [points, latest];
