import type { Dataset } from './dataset.ts';

export const alarmDatasets: readonly Dataset[] = [
  {
    name: 'alarm_facts',
    view: 'alarm_facts',
    time: 'started_at',
    metrics: [
      { name: 'alarms', label: 'Alarms', sql: 'count(*)', format: ',d' },
      { name: 'active', label: 'Active', sql: 'count(*) filter (where is_active)', format: ',d' },
      {
        name: 'not_acknowledged',
        label: 'Not acknowledged',
        sql: 'count(*) filter (where is_acknowledged is not true)',
        format: ',d',
      },
      {
        name: 'minutes_to_acknowledge',
        label: 'Mean minutes to acknowledge',
        sql: 'avg(time_to_acknowledge_sec) / 60',
        format: ',.1f',
      },
      {
        name: 'p95_minutes_to_acknowledge',
        label: '95 % are acknowledged within minutes',
        sql: 'percentile_cont(0.95) within group (order by time_to_acknowledge_sec) / 60',
        format: ',.1f',
      },
      { name: 'mean_minutes', label: 'Mean minutes', sql: 'avg(duration_sec) / 60', format: ',.1f' },
    ],
  },
  {
    name: 'alarms by hour',
    view: 'alarm_facts',
    sql: `select a.*, to_char(local_started_at, 'ID Dy') as weekday,
  to_char(local_started_at, 'HH24') as hour_of_day
from bi.alarm_facts as a`,
    added: [
      { name: 'weekday', type: 'text', about: 'Number and name of the day of the week, Monday first.' },
      { name: 'hour_of_day', type: 'text', about: 'Hour in the time zone of the plant.' },
    ],
    time: 'started_at',
    metrics: [{ name: 'alarms', label: 'Alarms', sql: 'count(*)', format: ',d' }],
  },
  {
    name: 'alarms_weekly',
    view: 'alarms_weekly',
    time: 'week',
    metrics: [{ name: 'alarms', label: 'Alarms', sql: 'sum(alarms)', format: ',d' }],
  },
  {
    name: 'alarm pareto',
    view: 'alarm_pareto',
    sql: `select to_char(row_number() over (order by p.alarms desc, p.show_name, p.object), 'FM00') || ' ' ||
  left(p.show_name || ' · ' || p.object_name, 36) as label, p.*
from bi.alarm_pareto(now() - interval '30 days', now()) as p
order by p.alarms desc, p.show_name, p.object limit 15`,
    added: [{ name: 'label', type: 'text', about: 'Rank, name of the alarm, and object.' }],
    metrics: [
      { name: 'alarms', label: 'Alarms', sql: 'sum(alarms)', format: ',d' },
      { name: 'cumulative', label: 'Cumulative share', sql: 'max(cumulative_share)', format: '.0%' },
      { name: 'in_bursts', label: 'In bursts', sql: 'sum(bursts)', format: ',d' },
    ],
  },
];
