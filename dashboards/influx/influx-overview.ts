import { makeDashboard } from '../parts/page.ts';
import { barsOverTime, lines, table } from '../parts/panels.ts';
import { influxql } from '../parts/sources.ts';
import { influxSource } from '../parts/variables.ts';
import { measurement } from './measurement.ts';

const points = barsOverTime({
  title: 'Points',
  about: 'Numbers and texts in each step of time, over all series.',
  query: [
    influxql(
      `
      SELECT count("value") FROM "$measurement" WHERE $timeFilter GROUP BY time($__interval) fill(null)`,
      { alias: 'numbers' },
    ),
    influxql(
      `
      SELECT count("text") FROM "$measurement" WHERE $timeFilter GROUP BY time($__interval) fill(null)`,
      { refId: 'B', alias: 'texts' },
    ),
  ],
  width: 12,
  height: 9,
}).interval('1m');

const perObject = lines({
  title: 'Points per object',
  about: 'Numbers in each step of time for each object. An object that sends nothing has no line.',
  query: influxql(
    `
    SELECT count("value") FROM "$measurement" WHERE $timeFilter
    GROUP BY time($__interval), "object" fill(null) SLIMIT 50`,
    { alias: '$tag_object' },
  ),
  width: 12,
  height: 9,
}).interval('1m');

const numbers = table({
  title: 'Latest numbers',
  about: 'The last number of each series in the range, with its time.',
  query: influxql(`
    SELECT last("value") AS "value" FROM "$measurement" WHERE $timeFilter GROUP BY "object", "property" SLIMIT 1000`),
  width: 12,
  height: 14,
});

const texts = table({
  title: 'Latest texts',
  about: 'The last text of each series in the range, with its time.',
  query: influxql(`
    SELECT last("text") AS "text" FROM "$measurement" WHERE $timeFilter GROUP BY "object", "property" SLIMIT 1000`),
  width: 12,
  height: 14,
});

/** Answers what InfluxDB has and how new it is, from InfluxDB alone. */
export const influxOverview = makeDashboard({
  uid: 'plantsync-influx-overview',
  title: 'Plant overview (InfluxDB)',
  about: 'How many points come into InfluxDB, and the latest value of each series.',
  tags: ['influxdb'],
  back: '24h',
  refresh: '1m',
  variables: [influxSource(), measurement()],
  rows: [
    { title: 'What comes', panels: [points, perObject] },
    { title: 'Latest values', panels: [numbers, texts] },
  ],
});
