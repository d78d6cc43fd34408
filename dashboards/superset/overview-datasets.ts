import type { Dataset } from './dataset.ts';

const day = { name: 'day', type: 'date', about: 'Day in the time zone of the plant.' };

export const overviewDatasets: readonly Dataset[] = [
  {
    name: 'tags',
    view: 'tags',
    metrics: [
      { name: 'live_series', label: 'Live series', sql: 'count(*) filter (where live)', format: ',d' },
      {
        name: 'live_objects',
        label: 'Live objects',
        sql: 'count(distinct object) filter (where live)',
        format: ',d',
      },
    ],
  },
  {
    name: 'latest of live series',
    view: 'latest',
    sql: 'select l.* from bi.latest as l join bi.tags as t on t.series_id = l.series_id where t.live',
    time: 'at',
    metrics: [
      {
        name: 'silent_series',
        label: 'Series without a point for an hour',
        sql: 'count(*) filter (where at is null or age_sec > 3600)',
        format: ',d',
      },
    ],
  },
  {
    name: 'points_hourly',
    view: 'points_hourly',
    time: 'bucket',
    metrics: [
      { name: 'points', label: 'Points', sql: 'sum("count")', format: ',d' },
      {
        name: 'mean_value',
        label: 'Mean',
        sql: 'sum("mean" * "count") / nullif(sum("count") filter (where "mean" is not null), 0)',
        format: ',.4~r',
      },
      { name: 'known_share', label: 'Known', sql: 'avg("share")', format: '.1%' },
    ],
  },
  {
    name: 'completeness by day',
    view: 'completeness',
    sql: `select k.day, c.* from bi.completeness(now() - interval '13 days', now(), interval '1 day') as c
join bi.calendar as k on c.bucket >= k.starts_at and c.bucket < k.ends_at
where c.stream = 'history'`,
    added: [day],
    time: 'day',
    metrics: [
      {
        name: 'complete',
        label: 'Complete',
        sql: 'sum(covered_sec) / nullif(sum(wanted_sec), 0)',
        format: '.1%',
      },
    ],
  },
  {
    name: 'state hours by day',
    view: 'state_intervals',
    only: ['object_name', 'template_name', 'property_name', 'state'],
    sql: `select k.day, t.object_name, t.template_name, t.property_name,
  coalesce(s.state, 'not known') as state, s.duration_sec / 3600 as hours
from bi.calendar as k
cross join bi.tags as t
cross join lateral bi.states(t.object, t.property, k.starts_at, least(k.ends_at, now())) as s
where k.ends_at > now() - interval '13 days' and k.starts_at < now()
  and lower(t.primitive_type) in ('string', 'boolean')`,
    added: [day, { name: 'hours', type: 'double precision', about: 'Hours of the state on that day.' }],
    time: 'day',
    metrics: [{ name: 'state_hours', label: 'Hours', sql: 'sum(hours)', format: ',.1f' }],
  },
  {
    name: 'limit_violations',
    view: 'limit_violations',
    time: 'from_at',
    metrics: [{ name: 'violations', label: 'Violations', sql: 'count(*)', format: ',d' }],
  },
  {
    name: 'sync_health',
    view: 'sync_health',
    time: 'last_started_at',
    metrics: [
      {
        name: 'failing_streams',
        label: 'Streams with a problem',
        sql: 'count(*) filter (where problem is not null)',
        format: ',d',
      },
    ],
  },
];
