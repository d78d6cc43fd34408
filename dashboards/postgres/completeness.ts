import { byValue, shareSteps } from '../parts/colors.ts';
import { FROM, KNOWN_TO, OF_TEMPLATE } from '../parts/fragments.ts';
import { partitionBySeries } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { asColor, bars, cells, inSeconds, lines, statPerRow, table } from '../parts/panels.ts';
import { allObjects, stores, templates } from '../parts/plant-variables.ts';
import { sql } from '../parts/sources.ts';
import { fixed, postgresSource } from '../parts/variables.ts';

/** The series that people chose, of any view with the columns of a series and its store. */
const WANTED = `store in ($store) and ${OF_TEMPLATE} and object in ($object)`;
/** So many series fit on a screen. Those that lack the most are shown. */
const MOST_SERIES = 60;

const perStore = statPerRow({
  title: 'Stored of the range',
  about: 'How much of what should be in each store is there, over the whole range and all chosen series.',
  query: sql(`
    select store, sum(covered_sec) / nullif(sum(wanted_sec), 0) as share
    from bi.completeness(${FROM}, ${KNOWN_TO}, ${KNOWN_TO} - ${FROM})
    where ${WANTED}
    group by store
    order by store`),
  width: 24,
  height: 4,
})
  .unit('percentunit')
  .decimals(2)
  .thresholds(shareSteps())
  .colorScheme(byValue());

const course = lines({
  title: 'Stored of each step',
  about:
    'How much of what should be in each store is there, step by step. Steps of days are days of the plant.',
  query: sql(`
    select bucket as time, store as series, sum(covered_sec) / nullif(sum(wanted_sec), 0) as "Value"
    from bi.completeness(${FROM}, ${KNOWN_TO}, interval '$step')
    where ${WANTED}
    group by 1, 2
    order by 1`),
  width: 24,
  height: 7,
})
  .withTransformation(partitionBySeries())
  .unit('percentunit')
  .min(0)
  .max(1);

const perSeries = cells({
  title: `The ${MOST_SERIES} series that lack the most`,
  about: 'Each cell is a step of time of a series in a store: green is all stored, red is nothing.',
  query: sql(`
    with steps as (
      select bucket, store, stream, object_name, property_name, covered_sec, wanted_sec, share,
        sum(wanted_sec - covered_sec) over (partition by store, stream, series_id) as lacking, series_id
      from bi.completeness(${FROM}, ${KNOWN_TO}, interval '$step')
      where ${WANTED}
    ),
    ranked as (
      select *, dense_rank() over (order by lacking desc nulls last, series_id, store, stream) as place from steps
    )
    select bucket as time,
      object_name || ' · ' || property_name || ' · ' || split_part(store, ':', 1)
        || case when stream = 'history' then '' else ' · ' || stream end as series, share as "Value"
    from ranked
    where place <= ${MOST_SERIES}
    order by bucket, place`),
  width: 24,
  height: 16,
})
  .unit('percentunit')
  .min(0)
  .max(1)
  .thresholds(shareSteps())
  .colorScheme(byValue());

const gaps = table({
  title: 'Gaps',
  about: 'Ranges that a store lacks, the longest first. They begin after the first range that is stored.',
  query: sql(`
    select store, stream, object_name, property_name, lower(gap) as from_at, upper(gap) as to_at,
      extract(epoch from upper(gap) - lower(gap))::float8 as duration
    from bi.coverage
    cross join lateral unnest(tstzmultirange(tstzrange(
      greatest(${FROM}, covered_from), greatest(${FROM}, covered_from, ${KNOWN_TO} - interval '1 minute'))) - covered) as gap
    where ${WANTED}
    order by duration desc, store, series_id
    limit 500`),
  width: 12,
  height: 11,
}).overrideByName('duration', [inSeconds]);

const behind = table({
  title: 'Furthest behind',
  about: 'Up to when each series is stored. A series that the platform does not have any more is left out.',
  query: sql(`
    select c.store, c.stream, c.object_name, c.property_name, c.covered_to,
      extract(epoch from now() - c.covered_to)::float8 as behind, c.covered_sec as stored
    from bi.coverage as c join bi.tags as t using (series_id)
    where t.live and c.store in ($store) and coalesce(c.template_name, 'none') in ($template) and c.object in ($object)
    order by c.covered_to nulls first
    limit 200`),
  width: 12,
  height: 11,
}).overrideByRegexp('^(behind|stored)$', [inSeconds]);

const perHourOfDay = bars({
  title: 'Late points per hour of the day',
  about: 'How late the points of each hour of the day came that were found by a later reading. UTC is used.',
  query: sql(`
    select to_char(hour at time zone 'UTC', 'HH24:00') as hour, avg(lag_sec) as "mean", max(lag_sec) as "most"
    from bi.late_points
    where $__timeFilter(hour) and ${OF_TEMPLATE} and object in ($object)
    group by 1
    order by 1`),
  width: 12,
  height: 9,
}).unit('s');

const late = table({
  title: 'Late points',
  about: 'Hours of series whose points came after the hour had been read, with how many and how late.',
  query: sql(`
    select object_name, property_name, hour, found_at, points, lag_sec as late
    from bi.late_points
    where $__timeFilter(hour) and ${OF_TEMPLATE} and object in ($object)
    order by hour desc, object_name
    limit 500`),
  width: 12,
  height: 9,
}).overrideByName('late', [inSeconds]);

const verified = table({
  title: 'What verify found',
  about: 'Points that a store had differently from the platform, as runs of plantsync verify compared them.',
  query: sql(`
    select * from bi.verify_differences
    where $__timeFilter(at) and store in ($store)
    order by at desc
    limit 200`),
  width: 24,
  height: 8,
}).overrideByRegexp('^(missing|extra|different)$', [
  asColor(),
  {
    id: 'thresholds',
    value: {
      mode: 'absolute',
      steps: [
        { value: null, color: 'green' },
        { value: 1, color: 'red' },
      ],
    },
  },
]);

/** Answers how much of the data each store has. */
export const completeness = makeDashboard({
  uid: 'plantsync-completeness',
  title: 'Completeness',
  about: 'How much of the points each store has, per day and series, with gaps, late points and differences.',
  tags: ['postgres', 'influxdb'],
  back: '7d',
  refresh: '5m',
  variables: [
    postgresSource(),
    stores(),
    templates(),
    allObjects('bi.tags'),
    fixed('step', {
      label: 'Step',
      about: 'Length of a step of time.',
      values: [
        ['a day', '1 day'],
        ['an hour', '1 hour'],
        ['a week', '7 days'],
      ],
    }),
  ],
  rows: [
    { title: 'How complete', panels: [perStore, course, perSeries] },
    { title: 'What is missing', panels: [gaps, behind] },
    { title: 'What came late or differs', panels: [perHourOfDay, late, verified] },
  ],
});
