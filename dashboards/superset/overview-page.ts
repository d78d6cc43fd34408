import { barsOf, bigNumber, heatmapOf, lineOf, tableOf } from './charts.ts';
import type { Page } from './page.ts';

const BACK = '-14, day';
const COURSE = 'Hourly mean of the chosen property';

/** What the plant does, and how much of it is known. */
export const overviewPage: Page = {
  title: 'Plant overview',
  slug: 'plantsync-overview',
  about: 'What the plant does, and how much of it is known.',
  filters: [
    { name: 'Time range', about: 'Instead of the last two weeks.' },
    { name: 'Template', about: '', from: { dataset: 'tags', column: 'template_name' } },
    { name: 'Object', about: '', from: { dataset: 'tags', column: 'object_name' } },
    {
      name: 'Property of the course',
      about: 'Values of one unit belong into one chart.',
      from: { dataset: 'points_hourly', column: 'property_name' },
      first: true,
      charts: [COURSE],
    },
  ],
  rows: [
    [
      bigNumber({
        ...{ name: 'Live objects', about: 'Objects with a live series.', dataset: 'tags', width: 2 },
        ...{ metric: 'live_objects', note: 'objects with live series' },
      }),
      bigNumber({
        ...{ name: 'Live series', about: 'Properties that are read.', dataset: 'tags', width: 2 },
        ...{ metric: 'live_series', note: 'properties that are read' },
      }),
      bigNumber({
        ...{ name: 'Points', about: 'Points of history.', dataset: 'points_hourly', width: 2 },
        ...{ metric: 'points', note: 'points in the last two weeks', back: BACK },
      }),
      bigNumber({
        ...{
          name: 'Silent series',
          about: 'Without a point for an hour.',
          dataset: 'latest of live series',
          width: 2,
        },
        ...{ metric: 'silent_series', note: 'without a point for an hour' },
      }),
      bigNumber({
        ...{ name: 'Completeness', about: 'Share that is stored.', width: 2 },
        ...{ dataset: 'completeness by day', metric: 'complete', note: 'stored of what is wanted' },
      }),
      bigNumber({
        ...{ name: 'Failing streams', about: 'Their last run failed.', dataset: 'sync_health' },
        ...{ width: 2, metric: 'failing_streams', note: 'of all streams, in their last run' },
      }),
    ],
    [
      lineOf({
        ...{ name: COURSE, about: 'A line for each object. A gap is time of which nothing is known.' },
        ...{ dataset: 'points_hourly', width: 12, x: 'local_bucket', grain: 'PT1H', back: BACK },
        ...{ metrics: ['mean_value'], by: ['object_name', 'unit'], yTitle: 'mean, in its unit' },
      }),
    ],
    [
      barsOf({
        ...{ name: 'Hours in each state', about: 'Hours of all chosen objects, by day.', width: 6 },
        ...{ dataset: 'state hours by day', x: 'day', grain: 'P1D', metrics: ['state_hours'] },
        ...{ by: ['property_name', 'state'], yTitle: 'hours' },
      }),
      heatmapOf({
        ...{ name: 'Completeness by object and day', about: 'Dark is complete.', width: 6 },
        ...{ dataset: 'completeness by day', x: 'day', y: 'object_name', metric: 'complete' },
        ...{ scheme: 'schemeGreens', bounds: [0, 1], timeFormat: '%d %b' },
      }),
    ],
    [
      tableOf({
        ...{ name: 'Latest values', about: 'The newest value of each property.', width: 12 },
        ...{ dataset: 'latest of live series', order: [['object_name', 'asc']] },
        columns: ['object_name', 'property_name', 'value', 'text', 'unit', 'at', 'age_sec', 'source'],
      }),
    ],
    [
      tableOf({
        ...{ name: 'Values out of bounds', about: 'Bounds are those of property_notes.', width: 6 },
        ...{ dataset: 'limit_violations', back: BACK, order: [['from_at', 'desc']] },
        columns: ['object_name', 'property_name', 'limit_kind', 'extreme', 'from_at', 'duration_sec'],
      }),
      tableOf({
        ...{ name: 'Streams', about: 'The last run of each stream.', width: 6 },
        ...{ dataset: 'sync_health', order: [['stream', 'asc']] },
        columns: ['stream', 'kind', 'last_status', 'last_success_at', 'problem'],
      }),
    ],
  ],
};
