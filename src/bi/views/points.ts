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
      date_part('epoch', now() - newest.at) as age_sec, newest.source
    from ${bi}.tags as t
    left join ${data}.current_values as c on c.series_id = t.series_id
    left join lateral (
      select p.at, p.value, p.text, p.quality
      from ${data}.samples as p where p.series_id = t.series_id order by p.at desc limit 1) as h on true
    cross join lateral (
      select
        case when is_poll then c.at else h.at end as at,
        case when is_poll then c.value else h.value end as value,
        case when is_poll then c.text else h.text end as text,
        case when is_poll then c.quality else h.quality end as quality,
        case when is_poll then 'poll' when h.at is not null then 'history' end as source
      from (select coalesce(c.at > h.at, c.at is not null) as is_poll) as which) as newest`,
};

export const pointViews: readonly BiView[] = [points, latest];
