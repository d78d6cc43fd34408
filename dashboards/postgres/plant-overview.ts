import { alarmsActive, alarmsRaised } from '../parts/alarm-panels.ts';
import { byValue, steps } from '../parts/colors.ts';
import { bucketOf, EXPLORER_OF_ROW, OF_TEMPLATE } from '../parts/fragments.ts';
import { partitionBySeries } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { barsOverTime, inSeconds, stat, table } from '../parts/panels.ts';
import { templates } from '../parts/plant-variables.ts';
import { sql } from '../parts/sources.ts';
import { fixed, postgresSource } from '../parts/variables.ts';

const toExplorer = { id: 'links', value: [{ title: 'Its course', url: EXPLORER_OF_ROW }] };
const LINK_COLUMNS = ['template', 'object', 'property'];
const FOR_LINK = `coalesce(l.template_name, 'none') as template, l.object, l.property`;

const things = stat({
  title: 'What is recorded',
  about: 'Objects with series, their series, and series that the platform does not have any more.',
  query: sql(`
    select count(distinct object) filter (where live) as objects, count(*) filter (where live) as series,
      count(*) filter (where not live) as "not on the platform any more"
    from bi.tags
    where ${OF_TEMPLATE}`),
  width: 9,
  height: 4,
});

const alarms = alarmsActive({ title: 'Active alarms', where: OF_TEMPLATE, width: 5, height: 4 });

const trouble = stat({
  title: 'Needs a look',
  about:
    'Series whose newest value is outside of its bounds, series without a value for the chosen time, and streams ' +
    'whose last run had a problem.',
  query: sql(`
    select
      (select count(*) from bi.latest as l join bi.tags as t using (series_id)
       where (l.value < t.low or l.value > t.high) and coalesce(t.template_name, 'none') in ($template))
        as "out of bounds",
      (select count(*) from bi.latest as l join bi.tags as t using (series_id)
       where t.live and coalesce(l.age_sec, 'infinity') > $silent and coalesce(t.template_name, 'none') in ($template))
        as silent,
      (select count(*) from bi.sync_health where problem is not null) as "streams with a problem"`),
  width: 10,
  height: 4,
})
  .thresholds(steps('green', [1, 'orange']))
  .colorScheme(byValue());

const values = table({
  title: 'Latest values',
  about:
    'The newest value of each series, from history or from a poll, with its age. The name links to its course.',
  query: sql(`
    select l.object_name, l.property_name, coalesce(l.value::text, l.text) as value, l.unit, l.at, l.age_sec as age,
      t.low, t.high, l.quality, l.source, ${FOR_LINK}
    from bi.latest as l join bi.tags as t using (series_id)
    where t.live and coalesce(l.template_name, 'none') in ($template)
    order by l.object_name, l.property_name
    limit 1000`),
  width: 24,
  height: 12,
  hide: LINK_COLUMNS,
})
  .overrideByName('property_name', [toExplorer])
  .overrideByName('age', [inSeconds]);

const outside = table({
  title: 'Out of bounds',
  about: 'Series whose newest value is below its low or above its high bound of property_notes.',
  query: sql(`
    select l.object_name, l.property_name, l.value, l.unit, t.low, t.high, l.at, t.comment, ${FOR_LINK}
    from bi.latest as l join bi.tags as t using (series_id)
    where (l.value < t.low or l.value > t.high) and coalesce(l.template_name, 'none') in ($template)
    order by l.object_name, l.property_name
    limit 500`),
  width: 12,
  height: 9,
  hide: LINK_COLUMNS,
}).overrideByName('property_name', [toExplorer]);

const silent = table({
  title: 'Silent series',
  about:
    'Series on the platform without a value for the chosen time, the longest first. An empty time: never.',
  query: sql(`
    select l.object_name, l.property_name, l.at as last_at, l.age_sec as age, ${FOR_LINK}
    from bi.latest as l join bi.tags as t using (series_id)
    where t.live and coalesce(l.age_sec, 'infinity') > $silent and coalesce(l.template_name, 'none') in ($template)
    order by l.at nulls first, l.object_name, l.property_name
    limit 500`),
  width: 12,
  height: 9,
  hide: LINK_COLUMNS,
})
  .overrideByName('property_name', [toExplorer])
  .overrideByName('age', [inSeconds]);

const alarmList = table({
  title: 'Active alarms, the most urgent first',
  about: 'What is active now. The dashboard Alarms has the history.',
  query: sql(`
    select show_name as name, priority, object_name, property_name, started_at, duration_sec as "active for",
      acknowledged_by
    from bi.alarm_facts
    where is_active and ${OF_TEMPLATE}
    order by priority, started_at
    limit 100`),
  width: 12,
  height: 9,
}).overrideByName('active for', [inSeconds]);

const raised = alarmsRaised({ where: OF_TEMPLATE, width: 12, height: 9 });

const loaded = barsOverTime({
  title: 'Points loaded',
  about:
    'Points that runs brought from the platform, by the begin of the run. A point that is read again counts again.',
  query: sql(`
    select ${bucketOf('started_at', 60_000)} as time, stream as series, sum(points)::float8 as "Value"
    from bi.sync_runs
    where $__timeFilter(started_at) and points > 0
    group by 1, 2
    order by 1`),
  width: 12,
  height: 9,
}).withTransformation(partitionBySeries());

const changes = table({
  title: 'What changed on the platform',
  about:
    'The newest changes of objects, properties, people and all that the directory holds, column by column.',
  query: sql(`
    select at, table_name, kind, object, key::text as key, column_name, old::text as old, new::text as new
    from bi.change_log
    where $__timeFilter(at)
    order by at desc
    limit 200`),
  width: 12,
  height: 9,
});

/** Answers at a glance how the plant is, and whether its data comes. */
export const plantOverview = makeDashboard({
  uid: 'plantsync-overview',
  title: 'Plant overview',
  about: 'Latest values, what is out of bounds or silent, alarms, and what came in.',
  tags: ['postgres'],
  back: '24h',
  refresh: '5m',
  variables: [
    postgresSource(),
    templates(),
    fixed('silent', {
      label: 'Silent after',
      about: 'A series without a value for so long is called silent.',
      values: [
        ['a day', '86400'],
        ['an hour', '3600'],
        ['a week', '604800'],
      ],
    }),
  ],
  rows: [
    { title: 'At a glance', panels: [things, alarms, trouble] },
    { title: 'Values', panels: [values, outside, silent] },
    { title: 'Alarms', panels: [alarmList, raised] },
    { title: 'Data', panels: [loaded, changes] },
  ],
});
