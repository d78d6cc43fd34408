import { alarmsOfObjects } from '../parts/annotations.ts';
import { colored } from '../parts/colors.ts';
import { bucketOf, CHOSEN, FIRST_DAY, FROM, KNOWN_TO, LAST_DAY, TO } from '../parts/fragments.ts';
import { partitionBySeries, toColumns, unitFromConfig } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { asShare, bars, inSeconds, lanes, lines, table } from '../parts/panels.ts';
import { objects, properties, stores, templates } from '../parts/plant-variables.ts';
import { sql } from '../parts/sources.ts';
import { fixed, postgresSource } from '../parts/variables.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From this width of a pixel on, hours are read: the range is some days long. */
const HOURS_FROM_MS = 5 * MINUTE_MS;
/** From this width of a pixel on, days are read: the range is a year or longer. */
const DAYS_FROM_MS = 12 * HOUR_MS;

/** What several hours or days have together. Each counts by its points, or by the time that is known. */
const measureOfBuckets = `case '$measure'
      when 'min' then min(b.min) when 'max' then max(b.max)
      when 'last' then (array_agg(b.last order by b.bucket desc) filter (where b.last is not null))[1]
      when 'weighted' then sum(b.weighted_mean * b.share) / nullif(sum(b.share) filter (where b.weighted_mean is not null), 0)
      else sum(b.mean * b.count) / nullif(sum(b.count) filter (where b.mean is not null), 0) end`;

const course = `
  with ${CHOSEN},
  points as (
    select c.series, ${bucketOf('p.at')} as time,
      case '$measure'
        when 'min' then min(p.value) when 'max' then max(p.value)
        when 'last' then (array_agg(p.value order by p.at desc))[1] else avg(p.value) end as value
    from chosen as c join bi.points as p using (series_id)
    where $__interval_ms < ${HOURS_FROM_MS} and '$measure' <> 'weighted' and $__timeFilter(p.at) and p.value is not null
    group by 1, 2
  ),
  hours as (
    select c.series, ${bucketOf('b.bucket', HOUR_MS)} as time, ${measureOfBuckets} as value
    from chosen as c join bi.points_hourly as b using (series_id)
    where $__interval_ms < ${DAYS_FROM_MS} and ($__interval_ms >= ${HOURS_FROM_MS} or '$measure' = 'weighted')
      and $__timeFilter(b.bucket)
    group by 1, 2
  ),
  days as (
    select c.series, b.bucket as time, ${measureOfBuckets} as value
    from chosen as c join bi.points_daily as b using (series_id)
    where $__interval_ms >= ${DAYS_FROM_MS} and $__timeFilter(b.bucket)
    group by 1, 2
  ),
  -- A row without a value ends the line where a gap begins.
  gaps as (
    select c.series, lower(gap) as time
    from chosen as c join bi.coverage as v using (series_id)
    cross join lateral unnest(tstzmultirange(tstzrange(${FROM}, ${TO})) - v.covered) as gap
    where v.stream = 'history' and v.store like 'postgres:%'
  ),
  bounds as (
    select distinct kind || ' ' || bound as series, bound
    from chosen cross join lateral (values ('low', low), ('high', high)) as b (kind, bound)
    where bound is not null
  )
  select time, series, max(value) as "Value"
  from (
    select time, series, value from points union all
    select time, series, value from hours union all
    select time, series, value from days union all
    select time, series, null from gaps union all
    select ends.time, series, bound from bounds cross join (values (${FROM}), (${TO})) as ends (time)
  ) as all_rows
  group by time, series
  order by time`;

const unit = `
  select coalesce('suffix:' || min(unit), 'none') as unit from bi.tags
  where object in ($object) and property in ($property)`;

const courses = lines({
  title: '$property',
  about:
    'One line for each object. Ranges of some days show points, longer ones hours or days. A line ends where ' +
    'Postgres lacks the points. Dashed lines are the bounds of property_notes.',
  query: [sql(course), sql(unit, 'config')],
  width: 24,
  height: 11,
})
  .withTransformation(unitFromConfig())
  .withTransformation(partitionBySeries())
  .overrideByRegexp('^(low|high) .*$', [
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
    { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
    { id: 'custom.showPoints', value: 'never' },
  ])
  .repeat('property')
  .repeatDirection('v');

const stored = lanes({
  title: 'Stored',
  about:
    'Which ranges of the chosen series each store has. A range that is missing is unknown: nothing says that it ' +
    'has no points. The newest seconds are read by the next run.',
  query: sql(`
    with ${CHOSEN}
    select lower(part) as time, upper(part) as "end", c.series || ' · ' || split_part(v.store, ':', 1) as series,
      state as "Value"
    from chosen as c join bi.coverage as v using (series_id)
    cross join lateral (values
      ('stored', v.covered * tstzmultirange(tstzrange(${FROM}, greatest(${FROM}, ${KNOWN_TO})))),
      ('missing', tstzmultirange(tstzrange(${FROM}, greatest(${FROM}, ${KNOWN_TO}))) - v.covered)
    ) as parts (state, ranges)
    cross join lateral unnest(ranges) as part
    where v.stream = 'history' and v.store in ($store)
    order by 1`),
  width: 24,
  height: 7,
}).mappings([colored({ stored: 'green', missing: 'red' })]);

const statistics = table({
  title: 'Whole hours of the range',
  about:
    'Figures of the hours in the range. The weighted mean counts each value by the time that it held. ' +
    'Known is the share of the time whose points are stored.',
  query: sql(`
    with ${CHOSEN}
    select c.object_name, c.property_name, sum(b.count) as count, min(b.min) as min, max(b.max) as max,
      sum(b.mean * b.count) / nullif(sum(b.count) filter (where b.mean is not null), 0) as mean,
      sum(b.weighted_mean * b.share) / nullif(sum(b.share) filter (where b.weighted_mean is not null), 0)
        as weighted_mean,
      avg(b.share) as known, min(c.unit) as unit
    from chosen as c join bi.points_hourly as b using (series_id)
    where $__timeFilter(b.bucket)
    group by c.series_id, c.object_name, c.property_name
    order by 2, 1`),
  width: 12,
  height: 9,
}).overrideByName('known', asShare());

const latest = table({
  title: 'Latest values and notes',
  about: 'The newest value of each chosen series with its age, and what property_notes says of the property.',
  query: sql(`
    with ${CHOSEN}
    select c.object_name, c.property_name, l.at, coalesce(l.value::text, l.text) as value, c.unit, l.age_sec as age,
      t.low, t.high, t.target, t.comment, l.quality
    from chosen as c join bi.latest as l using (series_id) join bi.tags as t using (series_id)
    order by 2, 1`),
  width: 12,
  height: 9,
}).overrideByName('age', [inSeconds]);

const violations = table({
  title: 'Outside of the bounds',
  about: 'When a value was below its low or above its high bound, for how long, and how far at most.',
  query: sql(`
    select object_name, property_name, limit_kind, limit_value, from_at, to_at, duration_sec as duration, extreme, unit,
      is_open
    from bi.limit_violations
    where object in ($object) and property in ($property) and from_at < ${TO} and coalesce(to_at, ${TO}) > ${FROM}
    order by from_at desc
    limit 500`),
  width: 12,
  height: 9,
}).overrideByName('duration', [inSeconds]);

const consumption = bars({
  title: 'Consumption per day, if the property is a counter',
  about:
    'How much a counter grew on each day of the plant. A counter that begins again at nought is taken into account. ' +
    'Days whose points are not all stored show too little.',
  query: sql(`
    with ${CHOSEN}
    select to_char(d.day, 'YYYY-MM-DD') as day, c.series, d.consumption as value
    from chosen as c join bi.counter_daily as d using (series_id)
    where d.day between ${FIRST_DAY} and ${LAST_DAY}
    order by 1, 2`),
  width: 12,
  height: 9,
}).withTransformation(toColumns({ row: 'day', column: 'series', value: 'value' }));

/** Answers how a property went, for one object or for many. */
export const propertyExplorer = makeDashboard({
  uid: 'plantsync-explorer',
  title: 'Property explorer',
  about: 'The course of properties of any objects in Postgres, with bounds, gaps, alarms and figures.',
  tags: ['postgres'],
  back: '24h',
  refresh: '1m',
  variables: [
    postgresSource(),
    templates(),
    objects(),
    properties(),
    fixed('measure', {
      label: 'Show',
      about: 'What a step of time shows if it has several points.',
      values: [
        ['mean', 'mean'],
        ['mean weighted by time', 'weighted'],
        ['minimum', 'min'],
        ['maximum', 'max'],
        ['last', 'last'],
      ],
    }),
    stores(),
  ],
  annotations: [alarmsOfObjects()],
  rows: [
    { title: 'Course', panels: [courses] },
    { title: 'What is known', panels: [stored] },
    { title: 'Figures', panels: [statistics, latest, violations, consumption] },
  ],
});
