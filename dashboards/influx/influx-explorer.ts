import { alarmEventsOfObjects, gapsOfSeries } from '../parts/annotations.ts';
import { makeDashboard } from '../parts/page.ts';
import { lines, table } from '../parts/panels.ts';
import { objects, properties, templates } from '../parts/plant-variables.ts';
import { influxql } from '../parts/sources.ts';
import { fixed, influxSource, postgresSource } from '../parts/variables.ts';
import { measurement, OF_CHOSEN } from './measurement.ts';

const course = lines({
  title: '${property:text}',
  about:
    'One line for each object, by its alias. An empty step of time ends the line, or is spanned: choose it at the ' +
    'top. Orange marks are ranges that InfluxDB lacks.',
  query: influxql(
    `
    SELECT $measure("value") FROM "$measurement"
    WHERE $timeFilter AND "object" =~ /^\${object:regex}$/ AND "property" =~ /^\${property:regex}$/
    GROUP BY time($__interval), "object", "property" fill($fill)`,
    { alias: '$tag_object · $tag_property' },
  ),
  width: 24,
  height: 12,
})
  .repeat('property')
  .repeatDirection('v');

const figures = table({
  title: 'Figures of the range',
  about: 'Count, least, mean, greatest and last value of each series over the whole range.',
  query: influxql(`
    SELECT count("value"), min("value"), mean("value"), max("value"), last("value") FROM "$measurement"
    WHERE $timeFilter AND ${OF_CHOSEN}
    GROUP BY "object", "property"`),
  width: 24,
  height: 9,
});

const texts = table({
  title: 'Texts',
  about: 'The newest texts of the chosen series: states, and values that are no numbers.',
  query: influxql(`
    SELECT "text", "object", "property" FROM "$measurement"
    WHERE $timeFilter AND ${OF_CHOSEN}
    ORDER BY time DESC LIMIT 500`),
  width: 24,
  height: 9,
});

/** Answers how a property went, from InfluxDB. Names and gaps come from Postgres. */
export const influxExplorer = makeDashboard({
  uid: 'plantsync-influx-explorer',
  title: 'Property explorer (InfluxDB)',
  about: 'The course of properties of any objects in InfluxDB. Postgres tells the names and the gaps.',
  tags: ['influxdb'],
  back: '24h',
  refresh: '1m',
  variables: [
    influxSource(),
    postgresSource(),
    templates(),
    objects(),
    properties(),
    measurement(),
    fixed('measure', {
      label: 'Show',
      about: 'What a step of time shows if it has several points.',
      values: [
        ['mean', 'mean'],
        ['minimum', 'min'],
        ['maximum', 'max'],
        ['last', 'last'],
      ],
    }),
    fixed('fill', {
      label: 'Step without a point',
      about: 'A value that is sent only when it changes has many steps without a point.',
      values: [
        ['ends the line', 'null'],
        ['is spanned', 'none'],
        ['keeps the value', 'previous'],
      ],
    }),
  ],
  annotations: [gapsOfSeries('influx'), alarmEventsOfObjects()],
  rows: [
    { title: 'Course', panels: [course] },
    { title: 'Figures', panels: [figures, texts] },
  ],
});
