import { type BiColumn, type BiView, selectTags, tagColumns } from '../bi-view.ts';
import { isStoredHere } from '../history-sql.ts';

/** The numbers of a bucket, in every view of rollups. */
const bucketColumns: readonly BiColumn[] = [
  { name: 'count', type: 'bigint', about: 'Number of points.' },
  { name: 'min', type: 'double precision', about: 'Lowest value; null if no point has a number.' },
  { name: 'max', type: 'double precision', about: 'Highest value; null if no point has a number.' },
  { name: 'mean', type: 'double precision', about: 'Mean of the values of the points.' },
  { name: 'first', type: 'double precision', about: 'Value of the first point; null if it has no number.' },
  { name: 'last', type: 'double precision', about: 'Value of the last point; null if it has no number.' },
  {
    name: 'weighted_mean',
    type: 'double precision',
    about:
      'Mean weighted by time. A value lasts until the next point, as long as nothing is missing between them. Null if the value is known at no instant.',
  },
  { name: 'share', type: 'double precision', about: 'Share of the time that is stored completely, 0 to 1.' },
  { name: 'whole', type: 'boolean', about: 'Whether all of the time is stored completely.' },
];

const bucketColumn = (step: string): BiColumn => ({
  name: 'bucket',
  type: 'timestamptz',
  about: `Begin of the ${step}.`,
});
const localColumn: BiColumn = {
  name: 'local_bucket',
  type: 'timestamp',
  about: "Begin of the hour by the clock of the plant's time zone.",
};

const SECONDS = `date_part('epoch', r.ends_at - r.bucket)`;
const NUMBERS = `r.count::bigint as count, r.min, r.max, r.sum / nullif(r.valued, 0) as mean, r.first, r.last,
      r.integral / nullif(r.known_sec, 0) as weighted_mean, r.covered_sec / ${SECONDS} as share,
      r.covered_sec >= ${SECONDS} as whole`;

const pointsHourly: BiView = {
  name: 'points_hourly',
  about:
    'Rollups of the points: one row for each series and hour with a point. An hour gets its row when it is over.',
  columns: [...tagColumns, bucketColumn('hour'), localColumn, ...bucketColumns],
  sql: ({ bi, data, zone }) => `
    select ${selectTags('t')}, r.bucket, r.bucket at time zone ${zone} as local_bucket, ${NUMBERS}
    from ${data}.rollup_hourly as r join ${bi}.tags as t using (series_id)`,
};

const pointsDaily: BiView = {
  name: 'points_daily',
  about:
    'Rollups of the points: one row for each series and day of the plant with a point. The row of the running day tells of the hours that are over.',
  columns: [
    ...tagColumns,
    { name: 'day', type: 'date', about: "The day in the plant's time zone." },
    bucketColumn('day'),
    ...bucketColumns,
  ],
  sql: ({ bi, data, zone }) => `
    select ${selectTags('t')}, (r.bucket at time zone ${zone})::date as day, r.bucket, ${NUMBERS}
    from ${data}.rollup_daily as r join ${bi}.tags as t using (series_id)`,
};

/**
 * The hours of the plant's clock are cut at a clock change, as the rollups are. The parameters have numbers,
 * because a column of the same name would win.
 */
const hours: BiView = {
  name: 'hours',
  takes: 'object text, property text, from_at timestamptz, to_at timestamptz',
  about:
    'Every hour of a series in a range, also those without points. Numbers of an hour whose rollup is not made yet are null.',
  columns: [bucketColumn('hour'), localColumn, ...bucketColumns],
  sql: (names) => {
    const { bi, data, zone } = names;
    return `
    with s as (select series_id from ${data}.series where series.object = $1 and series.property = $2),
    c as (
      select coalesce(range_agg(x), '{}') as covered from ${bi}.coverage as k cross join lateral unnest(k.covered) as x
      where k.object = $1 and k.property = $2 and ${isStoredHere(names, 'k')}),
    g as (
      select g as bucket, lead(g) over (order by g) as ends_at
      from generate_series(date_trunc('hour', $3, ${zone}), $4 + interval '2 hours', interval '30 minutes') as g
      where date_part('minute', g at time zone ${zone}) = 0
        or (g at time zone ${zone}) - ((g - interval '30 minutes') at time zone ${zone}) <> interval '30 minutes')
    select g.bucket, g.bucket at time zone ${zone}, case when is_known then coalesce(r.count, 0)::bigint end,
      r.min, r.max, r.sum / nullif(r.valued, 0), r.first, r.last,
      case when r.count is not null then r.integral / nullif(r.known_sec, 0) when is_known then carried.value end,
      part.covered_sec / date_part('epoch', g.ends_at - g.bucket),
      part.covered_sec >= date_part('epoch', g.ends_at - g.bucket)
    from s cross join c cross join g
    left join ${data}.rollup_hourly as r on r.series_id = s.series_id and r.bucket = g.bucket
    cross join lateral (
      select r.count is not null or not exists (
        select from ${data}.samples as p where p.series_id = s.series_id and p.at >= g.bucket and p.at < g.ends_at
      ) as is_known) as known
    left join lateral (
      select h.last as value from ${data}.rollup_hourly as h
      where r.count is null and h.series_id = s.series_id and h.bucket < g.bucket
        and c.covered @> tstzrange(h.last_at, g.bucket, '[]')
        and not exists (
          select from ${data}.samples as p
          where p.series_id = s.series_id and p.at > h.last_at and p.at < g.bucket)
      order by h.bucket desc limit 1) as carried on true
    cross join lateral (
      select case when c.covered @> tstzrange(g.bucket, g.ends_at) then date_part('epoch', g.ends_at - g.bucket)
        else coalesce((
          select sum(date_part('epoch', upper(x) - lower(x)))
          from unnest(c.covered * tstzmultirange(tstzrange(g.bucket, g.ends_at))) as x), 0) end as covered_sec) as part
    where g.bucket < $4 and g.ends_at > $3 order by g.bucket`;
  },
};

const latePoints: BiView = {
  name: 'late_points',
  about:
    'Points that the platform did not have yet when their range was first read: one row for each series and hour.',
  columns: [
    ...tagColumns,
    { name: 'hour', type: 'timestamptz', about: 'Begin of the hour of the points.' },
    { name: 'found_at', type: 'timestamptz', about: 'When late points of the hour were last found.' },
    { name: 'points', type: 'bigint', about: 'Number of late points of the hour, all findings together.' },
    {
      name: 'lag_sec',
      type: 'double precision',
      about: 'Seconds between the oldest point of the last finding and the finding.',
    },
  ],
  sql: ({ bi, ledger }) => `
    select ${selectTags('t')}, l.hour, l.found_at, l.points, l.lag_sec
    from ${ledger}.late_points as l join ${bi}.tags as t using (series_id)`,
};

export const rollupViews: readonly BiView[] = [pointsHourly, pointsDaily, hours, latePoints];
