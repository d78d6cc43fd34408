import { alarmEventsOfObjects, gapsOfSeries } from '../parts/annotations.ts';
import { stateColors } from '../parts/colors.ts';
import { makeDashboard } from '../parts/page.ts';
import { table, timelineOfSeries } from '../parts/panels.ts';
import { objects, properties, templates } from '../parts/plant-variables.ts';
import { influxql } from '../parts/sources.ts';
import { fixed, influxSource, postgresSource } from '../parts/variables.ts';
import { measurement, OF_CHOSEN } from './measurement.ts';

const timeline = timelineOfSeries({
  title: 'States',
  about:
    'One lane for each series, by its aliases. A state begins with its first point in the range and goes on to the ' +
    'next one. Orange marks are ranges that InfluxDB lacks: there the state is not known.',
  query: influxql(
    `
    SELECT "$field" FROM "$measurement"
    WHERE $timeFilter AND ${OF_CHOSEN}
    GROUP BY "object", "property" LIMIT 20000`,
    { alias: '$tag_object · $tag_property' },
  ),
  width: 24,
  height: 12,
}).mappings(stateColors());

const changes = table({
  title: 'Points',
  about: 'The newest points of the chosen series.',
  query: influxql(`
    SELECT "$field", "object", "property" FROM "$measurement"
    WHERE $timeFilter AND ${OF_CHOSEN}
    ORDER BY time DESC LIMIT 1000`),
  width: 24,
  height: 10,
});

/** Answers which state an object was in, from InfluxDB. */
export const influxStates = makeDashboard({
  uid: 'plantsync-influx-states',
  title: 'States (InfluxDB)',
  about: 'States of objects over time in InfluxDB. The dashboard States has the time in each state.',
  tags: ['influxdb'],
  back: '24h',
  refresh: '1m',
  variables: [
    influxSource(),
    postgresSource(),
    templates(),
    objects(),
    properties(`bool_or(lower(primitive_type) in ('string', 'boolean', 'bool', 'integer', 'int')) desc, 2`),
    measurement(),
    fixed('field', {
      label: 'Field',
      about: 'States are texts. Booleans and codes are numbers.',
      values: [
        ['texts', 'text'],
        ['numbers', 'value'],
      ],
    }),
  ],
  annotations: [gapsOfSeries('influx'), alarmEventsOfObjects()],
  rows: [
    { title: 'Course', panels: [timeline] },
    { title: 'Details', panels: [changes] },
  ],
});
