import { makeDashboard } from '../parts/page.ts';
import { barsOverTime, stat, table } from '../parts/panels.ts';
import { influxql } from '../parts/sources.ts';
import { influxSource } from '../parts/variables.ts';

const transitions = ['raised', 'acknowledged', 'unacknowledged', 'cleared'] as const;

const counts = stat({
  title: 'Events of the range',
  about: 'How many alarms were raised, acknowledged and cleared in the range.',
  query: influxql(
    `
    SELECT count("started_at") FROM "alarm_events" WHERE $timeFilter GROUP BY "transition"`,
    { alias: '$tag_transition' },
  ),
  width: 24,
  height: 4,
});

const raised = barsOverTime({
  title: 'Alarms raised',
  about: 'How many alarms were raised in each step of time, by priority.',
  query: influxql(
    `
    SELECT count("started_at") FROM "alarm_events"
    WHERE $timeFilter AND "transition" = 'raised'
    GROUP BY time($__interval), "priority" fill(null)`,
    { alias: 'priority $tag_priority' },
  ),
  width: 12,
  height: 9,
}).interval('1m');

const kinds = barsOverTime({
  title: 'What alarms did',
  about: `Events in each step of time: ${transitions.join(', ')}.`,
  query: influxql(
    `
    SELECT count("started_at") FROM "alarm_events"
    WHERE $timeFilter
    GROUP BY time($__interval), "transition" fill(null)`,
    { alias: '$tag_transition' },
  ),
  width: 12,
  height: 9,
}).interval('1m');

const frequent = table({
  title: 'The most frequent alarms',
  about: 'How often each alarm was raised in the range, by object and name.',
  query: influxql(`
    SELECT count("started_at") AS "alarms" FROM "alarm_events"
    WHERE $timeFilter AND "transition" = 'raised'
    GROUP BY "object", "name"`),
  width: 12,
  height: 12,
})
  .withTransformation({ id: 'sortBy', options: { fields: {}, sort: [{ field: 'alarms', desc: true }] } })
  .overrideByName('Time', [{ id: 'custom.hidden', value: true }]);

const events = table({
  title: 'Events',
  about: 'The newest events with the texts that the alarm had then.',
  query: influxql(`
    SELECT "transition", "name", "object", "property", "priority", "description", "value", "username", "started_at"
    FROM "alarm_events"
    WHERE $timeFilter
    ORDER BY time DESC LIMIT 1000`),
  width: 12,
  height: 12,
});

/** Answers what alarms did, from InfluxDB alone. */
export const influxAlarms = makeDashboard({
  uid: 'plantsync-influx-alarms',
  title: 'Alarms (InfluxDB)',
  about: 'Events of alarms in InfluxDB. The dashboard Alarms has durations and what is active.',
  tags: ['influxdb'],
  back: '7d',
  refresh: '1m',
  variables: [influxSource()],
  rows: [
    { title: 'How often', panels: [counts, raised, kinds] },
    { title: 'Which', panels: [frequent, events] },
  ],
});
