import { type BiColumn, type BiView, selectTags, tagColumns } from '../bi-view.ts';

const place: readonly BiColumn[] = [
  { name: 'store', type: 'text', about: 'Identity of the store.' },
  {
    name: 'stream',
    type: 'text',
    about: 'history, an aggregate such as history/300s/mean, or the alarms, which have no series.',
  },
];

const coverage: BiView = {
  name: 'coverage',
  about: 'What is proven to be stored: one row for each store, stream and series.',
  columns: [
    ...place,
    ...tagColumns,
    {
      name: 'covered',
      type: 'tstzmultirange',
      about: 'Half-open ranges that are complete in the store, also where they hold no point.',
    },
    { name: 'covered_from', type: 'timestamptz', about: 'Begin of the first covered range.' },
    { name: 'covered_to', type: 'timestamptz', about: 'End of the last covered range.' },
    { name: 'covered_sec', type: 'double precision', about: 'Seconds that are covered.' },
  ],
  sql: ({ bi, ledger }) => `
    select c.store, c.stream, ${selectTags('t')}, c.covered, lower(c.covered) as covered_from,
      upper(c.covered) as covered_to,
      coalesce((select sum(date_part('epoch', upper(r) - lower(r))) from unnest(c.covered) as r), 0) as covered_sec
    from ${ledger}.coverage as c left join ${bi}.tags as t on t.series_id = c.series_id`,
};

/**
 * The coverage is looked up for each series by its key, so that a question about few series stays cheap.
 * `date_part` computes in doubles, which takes a fraction of the time of `extract`. Steps of whole days are
 * days of the plant: they may have 23 or 25 hours. Other steps begin at midnight.
 */
const completeness: BiView = {
  name: 'completeness',
  takes: 'from_at timestamptz, to_at timestamptz, step interval',
  about:
    'How complete the history is: one row for each store, stream, series and bucket. There are rows for each series that the platform has, and for each that is covered anywhere. Steps of whole days are days of the plant. What lies ahead, or after a series vanished, is not wanted, and has no row.',
  columns: [
    ...place,
    ...tagColumns,
    { name: 'bucket', type: 'timestamptz', about: 'Instant at which the bucket begins.' },
    {
      name: 'covered_sec',
      type: 'double precision',
      about: 'Seconds of the wanted ones that are covered.',
    },
    {
      name: 'wanted_sec',
      type: 'double precision',
      about: 'Seconds of the bucket within the range that are over, and not after the series vanished.',
    },
    { name: 'share', type: 'double precision', about: 'Covered share of the wanted seconds, 0 to 1.' },
  ],
  sql: ({ bi, zone }) => `
    with recursive known (store, stream) as (
      (select c.store, c.stream from ${bi}.coverage as c order by c.store, c.stream limit 1)
      union all
      select next.store, next.stream from known as k cross join lateral (
        select c.store, c.stream from ${bi}.coverage as c
        where (c.store, c.stream) > (k.store, k.stream) order by c.store, c.stream limit 1) as next),
    buckets as materialized (
      select b.starts_at, greatest(b.starts_at, from_at) as low, least(b.ends_at, to_at, now()) as high
      from (select extract(epoch from step) % 86400 = 0 as has_days) as kind
      cross join lateral generate_series(
        case when has_days then date_trunc('day', from_at at time zone ${zone})
          else date_bin(step, from_at, date_trunc('day', from_at, ${zone})) at time zone 'UTC' end,
        case when has_days then to_at at time zone ${zone} else to_at at time zone 'UTC' end, step) as local
      cross join lateral (
        select local at time zone case when has_days then ${zone} else 'UTC' end as starts_at,
          (local + step) at time zone case when has_days then ${zone} else 'UTC' end as ends_at) as b)
    select k.store, k.stream, ${selectTags('t')}, b.starts_at as bucket, s.covered_sec, w.wanted_sec,
      s.covered_sec / w.wanted_sec as share
    from known as k cross join ${bi}.tags as t
    left join lateral (
      select c.covered from ${bi}.coverage as c
      where c.store = k.store and c.stream = k.stream and c.series_id = t.series_id limit 1) as c on true
    cross join buckets as b
    cross join lateral (select least(b.high, t.vanished_at) as high) as e
    cross join lateral (select date_part('epoch', e.high - b.low) as wanted_sec) as w
    cross join lateral (
      select coalesce(sum(date_part('epoch', upper(r) - lower(r))), 0) as covered_sec
      from unnest(c.covered * tstzmultirange(tstzrange(b.low, greatest(b.low, e.high)))) as r) as s
    where w.wanted_sec > 0 and (c.covered is not null or (k.stream = 'history' and t.live))`,
};

export const coverageViews: readonly BiView[] = [coverage, completeness];
