import type { BiView } from '../bi-view.ts';

const alarmsWeekly: BiView = {
  name: 'alarms_weekly',
  about:
    'Alarms by week and priority, by the week in which they were raised. A week without alarms has no row.',
  columns: [
    { name: 'week', type: 'date', about: 'Monday of the week, in the time zone of the plant.' },
    { name: 'priority', type: 'integer', about: 'Priority of the alarms, 1 to 10.' },
    { name: 'alarms', type: 'bigint', about: 'Number of alarms that were raised.' },
    { name: 'still_open', type: 'bigint', about: 'Number of those that are not known to have ended.' },
    {
      name: 'mean_duration_sec',
      type: 'double precision',
      about: 'Mean duration of those that ended at a known time.',
    },
    {
      name: 'p95_duration_sec',
      type: 'double precision',
      about: 'Duration that 95 % of those that ended at a known time did not exceed.',
    },
    {
      name: 'mean_time_to_acknowledge_sec',
      type: 'double precision',
      about: 'Mean time to acknowledge of those that were acknowledged at a known time.',
    },
    {
      name: 'p95_time_to_acknowledge_sec',
      type: 'double precision',
      about: 'Time to acknowledge that 95 % of those that were acknowledged at a known time did not exceed.',
    },
    { name: 'unacknowledged', type: 'bigint', about: 'Number of those that nobody has acknowledged.' },
  ],
  // Week by week, so that a condition on the week reaches the index of the starts.
  sql: ({ bi, data, zone }) => `
    select w.week::date as week, f.* from (
      select date_trunc('week', min(started_at) at time zone ${zone}) as first,
        date_trunc('week', max(started_at) at time zone ${zone}) as last
      from ${data}.alarms) as known
    cross join lateral generate_series(known.first, known.last, interval '7 days') as w (week)
    cross join lateral (
      select a.priority, count(*) as alarms, count(*) filter (where a.is_active is distinct from false) as still_open,
        avg(a.duration_sec) filter (where a.ended_at is not null) as mean_duration_sec,
        percentile_cont(0.95) within group (order by a.duration_sec)
          filter (where a.ended_at is not null) as p95_duration_sec,
        avg(a.time_to_acknowledge_sec) as mean_time_to_acknowledge_sec,
        percentile_cont(0.95) within group (order by a.time_to_acknowledge_sec) as p95_time_to_acknowledge_sec,
        count(*) filter (where a.is_acknowledged is false) as unacknowledged
      from ${bi}.alarm_facts as a
      where a.started_at >= w.week at time zone ${zone}
        and a.started_at < (w.week + interval '7 days') at time zone ${zone}
      group by a.priority) as f`,
};

const alarmPareto: BiView = {
  name: 'alarm_pareto',
  takes: 'from_at timestamptz, to_at timestamptz',
  about: 'The alarms that were raised in a range, by name and object, the most frequent first.',
  columns: [
    { name: 'show_name', type: 'text', about: 'Name of the alarm.' },
    { name: 'object', type: 'text', about: 'Alias of the object that the alarm is of.' },
    { name: 'object_name', type: 'text', about: 'Name of the object as people read it, else its alias.' },
    { name: 'alarms', type: 'bigint', about: 'Number of times that the alarm was raised.' },
    { name: 'share_of_all', type: 'double precision', about: 'Share of all alarms of the range, 0 to 1.' },
    {
      name: 'cumulative_share',
      type: 'double precision',
      about: 'Share of all alarms of the range, of this row and those before it.',
    },
    {
      name: 'bursts',
      type: 'bigint',
      about: 'Number of those that were raised within 10 minutes after the one before.',
    },
  ],
  sql: ({ bi }) => `
    with raised as (
      select a.show_name, a.object, a.object_name, a.started_at,
        a.started_at - lag(a.started_at) over (partition by a.show_name, a.object order by a.started_at) as since
      from ${bi}.alarm_facts as a
      where a.started_at >= $1 - interval '10 minutes' and a.started_at < $2),
    counted as (
      select r.show_name, r.object, max(r.object_name) as object_name, count(*) as alarms,
        count(*) filter (where r.since <= interval '10 minutes') as bursts
      from raised as r where r.started_at >= $1 group by r.show_name, r.object)
    select c.show_name, c.object, c.object_name, c.alarms,
      c.alarms / (sum(c.alarms) over ())::double precision as share_of_all,
      sum(c.alarms) over (order by c.alarms desc, c.show_name, c.object)
        / (sum(c.alarms) over ())::double precision as cumulative_share,
      c.bursts
    from counted as c order by c.alarms desc, c.show_name, c.object`,
};

export const alarmCountViews: readonly BiView[] = [alarmsWeekly, alarmPareto];
