import { VisibilityMode } from '@grafana/grafana-foundation-sdk/common';
import { alarmsActive, alarmsRaised } from '../parts/alarm-panels.ts';
import { alarmsOfObjects } from '../parts/annotations.ts';
import { EXPLORER_OF_ROW, FIRST_DAY, FROM, LAST_DAY, OF_TEMPLATE, TO } from '../parts/fragments.ts';
import { partitionBySeries, toColumns } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { asGauge, asShare, bars, inSeconds, lines, stat, table } from '../parts/panels.ts';
import { allObjects, templates } from '../parts/plant-variables.ts';
import { sql } from '../parts/sources.ts';
import { choice, postgresSource } from '../parts/variables.ts';

/** The alarms that people chose. */
const WANTED = `object in ($object) and ${OF_TEMPLATE} and coalesce(priority, 0) in ($priority)`;
/** The objects that people chose, for a function whose rows have no template. */
const WANTED_OBJECTS = `object in ($object) and object in (select object from bi.alarm_facts where ${OF_TEMPLATE})`;
/** An hour before and after an alarm, for the link to the explorer. */
const AROUND = `
  (extract(epoch from started_at) * 1000)::bigint - 3600000 as from_ms,
  (extract(epoch from coalesce(ended_at, started_at)) * 1000)::bigint + 3600000 as to_ms,
  coalesce(template_name, 'none') as template, object, property`;
const LINK_COLUMNS = ['from_ms', 'to_ms', 'template', 'object', 'property'];
const toCourse = {
  id: 'links',
  value: [
    {
      title: 'The course an hour before and after',
      url: `${EXPLORER_OF_ROW}&from=\${__data.fields.from_ms}&to=\${__data.fields.to_ms}`,
    },
  ],
};

const active = alarmsActive({ title: 'Active now', where: WANTED, width: 8, height: 4 });

const ofRange = stat({
  title: 'Raised in the range',
  about: 'Alarms that began in the range, and those whose end nobody saw.',
  query: sql(`
    select count(*) as raised, count(*) filter (where end_unknown) as "end unknown"
    from bi.alarm_facts
    where $__timeFilter(started_at) and ${WANTED}`),
  width: 8,
  height: 4,
});

const response = stat({
  title: 'Time to acknowledge',
  about:
    'Of the alarms that began in the range and were acknowledged: the mean, and what 95 of 100 stay below.',
  query: sql(`
    select avg(time_to_acknowledge_sec) as mean,
      percentile_cont(0.95) within group (order by time_to_acknowledge_sec) as "95 %"
    from bi.alarm_facts
    where $__timeFilter(started_at) and ${WANTED}`),
  width: 8,
  height: 4,
}).unit('s');

const activeList = table({
  title: 'Active alarms',
  about: 'Alarms that are active now, the most urgent first. The name links to the course around the alarm.',
  query: sql(`
    select show_name as name, priority, object_name, property_name, description, value, started_at,
      duration_sec as "active for", acknowledged_by, ${AROUND}
    from bi.alarm_facts
    where is_active and ${WANTED}
    order by priority, started_at
    limit 500`),
  width: 24,
  height: 9,
  hide: LINK_COLUMNS,
})
  .overrideByName('name', [toCourse])
  .overrideByName('active for', [inSeconds]);

const raised = alarmsRaised({ where: WANTED, width: 24, height: 8 });

const pareto = table({
  title: 'The most frequent alarms',
  about:
    'Which alarms come most often, and what share of all they make up together with those above. A burst is an ' +
    'alarm within ten minutes after the one before of the same name and object.',
  query: sql(`
    select show_name as name, object_name, alarms, share_of_all, cumulative_share, bursts
    from bi.alarm_pareto(${FROM}, ${TO})
    where ${WANTED_OBJECTS}
    order by alarms desc, name
    limit 50`),
  width: 14,
  height: 10,
})
  .overrideByName('share_of_all', [{ id: 'unit', value: 'percentunit' }])
  .overrideByName('cumulative_share', asShare())
  .overrideByName('alarms', [asGauge()]);

const topTen = bars({
  title: 'The ten most frequent',
  about: 'The number of alarms of the ten names that come most often in the range.',
  query: sql(`
    select show_name as name, sum(alarms) as alarms
    from bi.alarm_pareto(${FROM}, ${TO})
    where ${WANTED_OBJECTS}
    group by show_name
    order by 2 desc, 1
    limit 10`),
  width: 10,
  height: 10,
});

const weekly = bars({
  title: 'Alarms per week',
  about: 'How many alarms began in each week of the plant, by priority. Weeks begin on Monday.',
  query: sql(`
    select to_char(week, 'YYYY-MM-DD') as week, 'priority ' || coalesce(priority::text, '?') as priority, alarms
    from bi.alarms_weekly
    where week between ${FIRST_DAY} - 6 and ${LAST_DAY} and coalesce(priority, 0) in ($priority)
    order by week, priority`),
  width: 12,
  height: 9,
}).withTransformation(toColumns({ row: 'week', column: 'priority', value: 'alarms' }));

const weeklyTable = table({
  title: 'Weeks in figures',
  about:
    'Per week and priority: durations, times to acknowledge, and what is still open. All objects are counted.',
  query: sql(`
    select to_char(week, 'YYYY-MM-DD') as week, priority, alarms, still_open, unacknowledged,
      mean_duration_sec as "mean duration", p95_duration_sec as "95 % duration",
      mean_time_to_acknowledge_sec as "mean time to acknowledge",
      p95_time_to_acknowledge_sec as "95 % time to acknowledge"
    from bi.alarms_weekly
    where week between ${FIRST_DAY} - 6 and ${LAST_DAY} and coalesce(priority, 0) in ($priority)
    order by 1 desc, 2`),
  width: 12,
  height: 9,
}).overrideByRegexp('(duration|acknowledge)$', [inSeconds]);

const toAcknowledge = lines({
  title: 'Time to acknowledge each alarm',
  about: 'One point for each alarm that was acknowledged: when it began, and how long that took.',
  query: sql(`
    select started_at as time, 'priority ' || coalesce(priority::text, '?') as series,
      time_to_acknowledge_sec as "Value"
    from bi.alarm_facts
    where $__timeFilter(started_at) and time_to_acknowledge_sec is not null and ${WANTED}
    order by started_at
    limit 20000`),
  width: 24,
  height: 8,
})
  .withTransformation(partitionBySeries())
  .unit('s')
  .lineWidth(0)
  .showPoints(VisibilityMode.Always)
  .pointSize(6);

const history = table({
  title: 'History',
  about: 'The newest alarms that began in the range. A duration is empty if nobody saw the end.',
  query: sql(`
    select started_at, show_name as name, priority, object_name, property_name, description, value, ended_at,
      duration_sec as duration, acknowledged_at, acknowledged_by,
      time_to_acknowledge_sec as "time to acknowledge", since_previous_sec as "since the one before", ${AROUND}
    from bi.alarm_facts
    where $__timeFilter(started_at) and ${WANTED}
    order by started_at desc
    limit 1000`),
  width: 24,
  height: 12,
  hide: LINK_COLUMNS,
})
  .overrideByName('name', [toCourse])
  .overrideByRegexp('^(duration|time to acknowledge|since the one before)$', [inSeconds]);

/** Answers which alarms there are and were, how often, and how fast people acknowledge them. */
export const alarms = makeDashboard({
  uid: 'plantsync-alarms',
  title: 'Alarms',
  about: 'Active alarms, the most frequent ones, weeks, times to acknowledge, and the history.',
  tags: ['postgres'],
  back: '7d',
  refresh: '1m',
  variables: [
    postgresSource(),
    templates(),
    allObjects('bi.alarm_facts'),
    choice('priority', {
      label: 'Priority',
      about: 'Priorities of the alarms. 0 stands for alarms without a priority.',
      query: 'select distinct coalesce(priority, 0) as __value from bi.alarm_facts order by 1',
      all: 'every value',
    }),
  ],
  annotations: [alarmsOfObjects()],
  rows: [
    { title: 'Now', panels: [active, ofRange, response, activeList] },
    { title: 'How often', panels: [raised, pareto, topTen] },
    { title: 'Weeks', panels: [weekly, weeklyTable] },
    { title: 'Details', panels: [toAcknowledge, history] },
  ],
});
