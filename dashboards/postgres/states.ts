import { alarmsOfObjects } from '../parts/annotations.ts';
import { stateColors } from '../parts/colors.ts';
import { CHOSEN, FROM, KNOWN_TO, TO } from '../parts/fragments.ts';
import { toColumns } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { asShare, bars, inSeconds, lanes, table } from '../parts/panels.ts';
import { objects, properties, templates } from '../parts/plant-variables.ts';
import { type QueryBuilder, sql } from '../parts/sources.ts';
import { postgresSource } from '../parts/variables.ts';

/** The stretches of the chosen series in the range, as parts of `with`. A state of null is not known. */
const SPANS = `${CHOSEN},
spans as (
  select c.*, s.from_at, coalesce(s.to_at, ${KNOWN_TO}) as to_at, s.state
  from chosen as c cross join lateral bi.states(c.object, c.property, ${FROM}, ${TO}) as s
  where s.from_at < ${KNOWN_TO}
)`;

/** Seconds that a stretch and a shift or day have in common. */
const IN_COMMON = `extract(epoch from least(s.to_at, d.ends_at) - greatest(s.from_at, d.starts_at))::float8`;

const timeline = lanes({
  title: 'States',
  about: 'One lane for each series. A stretch without a colour is not known: its points are not stored.',
  query: sql(`
    with ${SPANS}
    select from_at as time, to_at as "end", series, state as "Value"
    from spans
    where state is not null
    order by from_at`),
  width: 24,
  height: 11,
}).mappings(stateColors());

const now = table({
  title: 'State at the end of the range',
  about: 'The last state of each series in the range, and since when it goes on.',
  query: sql(`
    with ${SPANS}
    select distinct on (series) series, state, from_at as since,
      extract(epoch from to_at - from_at)::float8 as duration
    from spans
    where state is not null
    order by series, from_at desc`),
  width: 12,
  height: 8,
}).overrideByName('duration', [inSeconds]);

const shares = table({
  title: 'Share of the range',
  about:
    'How long each series was in each state, as time and as a share of the whole range. "not known" is a gap.',
  query: sql(`
    with ${SPANS}
    select series, coalesce(state, 'not known') as state, count(*) as times,
      sum(extract(epoch from to_at - from_at))::float8 as duration,
      sum(extract(epoch from to_at - from_at))::float8
        / nullif(extract(epoch from ${KNOWN_TO} - ${FROM}), 0)::float8 as share
    from spans
    group by 1, 2
    order by 1, 4 desc`),
  width: 12,
  height: 8,
})
  .overrideByName('duration', [inSeconds])
  .overrideByName('share', asShare());

/** Bars of the time in each state, for each of the chosen objects. `row` is the column of the bars. */
const timeInStates = ({
  row,
  ...panel
}: {
  row: string;
  title: string;
  about: string;
  query: QueryBuilder;
}) =>
  bars({ ...panel, width: 24, height: 9 })
    .withTransformation(toColumns({ row, column: 'state', value: 'seconds' }))
    .unit('s')
    .repeat('object')
    .repeatDirection('h')
    .maxPerRow(2);

const perShift = timeInStates({
  row: 'shift',
  title: 'Time in each state per shift: $object',
  about: 'The shifts are those of the table plant.shifts. If it is empty, one shift lasts the whole day.',
  query: sql(`
    with ${SPANS}
    select to_char(d.day, 'YYYY-MM-DD') || ' ' || d.shift as shift, coalesce(s.state, 'not known') as state,
      sum(${IN_COMMON}) as seconds
    from bi.shift_calendar as d
    join spans as s on s.from_at < d.ends_at and s.to_at > d.starts_at
    where d.starts_at < ${TO} and d.ends_at > ${FROM}
    group by d.day, d.shift, d.starts_at, 2
    order by d.starts_at, 2`),
});

const perDay = timeInStates({
  row: 'day',
  title: 'Time in each state per day: $object',
  about: 'Days of the plant. Where the clock changes, a day has 23 or 25 hours.',
  query: sql(`
    with ${SPANS}
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(s.state, 'not known') as state, sum(${IN_COMMON}) as seconds
    from bi.calendar as d
    join spans as s on s.from_at < d.ends_at and s.to_at > d.starts_at
    where d.starts_at < ${TO} and d.ends_at > ${FROM}
    group by d.day, 2
    order by d.day, 2`),
});

const stretches = table({
  title: 'Stretches',
  about: 'The newest stretches of the range with their begin, end and duration. An empty state is not known.',
  query: sql(`
    with ${SPANS}
    select series, state, from_at, to_at, extract(epoch from to_at - from_at)::float8 as duration
    from spans
    order by from_at desc
    limit 1000`),
  width: 24,
  height: 10,
}).overrideByName('duration', [inSeconds]);

/** Answers which state an object was in, and for how long. */
export const states = makeDashboard({
  uid: 'plantsync-states',
  title: 'States',
  about: 'States of objects over time, and the time in each state per shift and day.',
  tags: ['postgres'],
  back: '24h',
  refresh: '1m',
  variables: [
    postgresSource(),
    templates(),
    objects(),
    properties(`bool_or(lower(primitive_type) in ('string', 'boolean', 'bool', 'integer', 'int')) desc, 2`),
  ],
  annotations: [alarmsOfObjects()],
  rows: [
    { title: 'Course', panels: [timeline, now, shares] },
    { title: 'Per shift', panels: [perShift] },
    { title: 'Per day', panels: [perDay] },
    { title: 'Details', panels: [stretches] },
  ],
});
