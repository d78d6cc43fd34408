import { barsOf, bigNumber, heatmapOf, lineOf, paretoOf, tableOf } from './charts.ts';
import type { Page } from './page.ts';

const BACK = '-30, day';

/** Which alarms come, how long they last, and how fast people answer. */
export const alarmPage: Page = {
  title: 'Alarms',
  slug: 'plantsync-alarms',
  about: 'Which alarms come, how long they last, and how fast people answer.',
  filters: [
    { name: 'Time range', about: 'Instead of the last thirty days.' },
    { name: 'Object', about: '', from: { dataset: 'alarm_facts', column: 'object_name' } },
    { name: 'Priority', about: '', from: { dataset: 'alarm_facts', column: 'priority' } },
  ],
  rows: [
    [
      bigNumber({
        ...{ name: 'Active alarms', about: 'Alarms that go on.', dataset: 'alarm_facts', width: 3 },
        ...{ metric: 'active', note: 'alarms go on now' },
      }),
      bigNumber({
        ...{ name: 'Open and not acknowledged', about: 'Nobody has answered.', dataset: 'alarm_facts' },
        ...{ width: 3, metric: 'not_acknowledged', note: 'of these nobody has acknowledged' },
        ...{ where: 'is_active' },
      }),
      bigNumber({
        ...{ name: 'Alarms in 30 days', about: 'Alarms by their start.', dataset: 'alarm_facts', width: 3 },
        ...{ metric: 'alarms', note: 'alarms in the last 30 days', back: BACK },
      }),
      bigNumber({
        ...{ name: 'Time to acknowledge', about: 'Mean of those acknowledged.', dataset: 'alarm_facts' },
        ...{ width: 3, metric: 'minutes_to_acknowledge', note: 'minutes on average, in 30 days', back: BACK },
      }),
    ],
    [
      barsOf({
        ...{ name: 'Alarms by day and priority', about: 'Days of the plant.', width: 6 },
        ...{ dataset: 'alarm_facts', x: 'local_started_at', grain: 'P1D', metrics: ['alarms'] },
        ...{ by: ['priority'], yTitle: 'alarms', back: BACK },
      }),
      heatmapOf({
        ...{ name: 'When alarms come', about: 'Hour of the day and day of the week.', width: 6 },
        ...{ dataset: 'alarms by hour', x: 'hour_of_day', y: 'weekday', metric: 'alarms', back: BACK },
        ...{ scheme: 'superset_seq_1' },
      }),
    ],
    [
      paretoOf({
        ...{ name: 'The most frequent alarms', about: 'Of the last 30 days.', width: 8, height: 62 },
        ...{ dataset: 'alarm pareto', x: 'label', bars: 'alarms', line: 'cumulative' },
      }),
      tableOf({
        ...{ name: 'Alarms that come in bursts', about: 'Within ten minutes after the one before.' },
        ...{ width: 4, height: 62, dataset: 'alarm pareto', order: [['bursts', 'desc']] },
        columns: ['show_name', 'object_name', 'alarms', 'bursts'],
      }),
    ],
    [
      lineOf({
        ...{ name: 'Minutes until acknowledged, by day', about: 'Mean and 95th percentile.', width: 6 },
        ...{ dataset: 'alarm_facts', x: 'local_started_at', grain: 'P1D', back: BACK },
        ...{ metrics: ['minutes_to_acknowledge', 'p95_minutes_to_acknowledge'], yTitle: 'minutes' },
      }),
      tableOf({
        ...{ name: 'Weeks', about: 'One row for each week and priority.', width: 6 },
        ...{
          dataset: 'alarms_weekly',
          order: [
            ['week', 'desc'],
            ['priority', 'asc'],
          ],
        },
        columns: [
          'week',
          'priority',
          'alarms',
          'still_open',
          'unacknowledged',
          'mean_time_to_acknowledge_sec',
          'p95_time_to_acknowledge_sec',
        ],
        timeFormat: '%Y-%m-%d',
      }),
    ],
    [
      tableOf({
        ...{ name: 'Open alarms', about: 'The oldest first.', width: 12 },
        ...{ dataset: 'alarm_facts', where: 'is_active', order: [['started_at', 'asc']] },
        columns: [
          'object_name',
          'property_name',
          'show_name',
          'priority',
          'value',
          'local_started_at',
          'duration_sec',
          'acknowledged_by',
        ],
      }),
    ],
  ],
};
