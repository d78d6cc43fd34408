import { Readable } from 'node:stream';
import { z } from 'zod';
import { zone } from '../../config/fields.ts';
import { createInstantFormatter } from '../../series/zoned-instant.ts';
import { readChart, type SeriesChart } from '../../sync/explore/chart-series.ts';
import { readExport } from '../../sync/explore/export-points.ts';
import { findSeries } from '../../sync/explore/find-series.ts';
import { createPointLines, pointFormats } from '../../sync/explore/point-lines.ts';
import { describeQueries, readCurrent, readRawPage } from '../../sync/explore/read-values.ts';
import {
  chooseSeries,
  chooseView,
  listStreams,
  rangeQuery,
  seriesQuery,
  seriesText,
  viewQuery,
} from './explorer-view.ts';
import { count, isoOf, isoTime, pageOf, timeOf } from './fields.ts';
import { ApiFile, route } from './route.ts';

export const foundSeriesReply = z.object({
  series: z
    .string()
    .describe('Names the series in other operations: object and property, with a slash between.'),
  object: z.string(),
  objectName: z.string().optional().describe('Show name of the object.'),
  template: z.string().optional().describe('Template of the object.'),
  property: z.string(),
  propertyName: z.string().optional().describe('Show name of the property.'),
  type: z.string().optional().describe('Declared type of the values.'),
  history: z.boolean().describe('Whether a selection reads its history.'),
  current: z.boolean().describe('Whether a selection polls its current value.'),
});
export type FoundSeriesReply = z.output<typeof foundSeriesReply>;

export const foundReply = z.object({ items: z.array(foundSeriesReply), total: z.number() });
export type FoundReply = z.output<typeof foundReply>;

const searchSeries = route({
  method: 'get',
  path: '/explorer/series',
  id: 'findSeries',
  summary: 'Finds properties by words in aliases and show names of objects and properties.',
  query: z.strictObject({ search: z.string().max(200).default(''), limit: count(1, 100).default(20) }),
  reply: foundReply,
  async handle(ctx, { query }) {
    const { items, total } = await findSeries(ctx, query.search, query.limit);
    return {
      total,
      items: items.map((found) => ({
        series: seriesText(found),
        object: found.object,
        objectName: found.objectShowName ?? undefined,
        template: found.template ?? undefined,
        property: found.property,
        propertyName: found.propertyShowName ?? undefined,
        type: found.primitiveType ?? undefined,
        history: found.history,
        current: found.current,
      })),
    };
  },
});

export const choicesReply = z.object({
  stores: z.array(z.object({ id: z.string(), kind: z.string() })),
  streams: z.array(z.string()).describe('Raw history, and the aggregates that selections read.'),
});
export type ChoicesReply = z.output<typeof choicesReply>;

const readChoices = route({
  method: 'get',
  path: '/explorer/choices',
  id: 'listExplorerChoices',
  summary: 'Lists the stores and streams that points can be read from.',
  reply: choicesReply,
  handle: async (ctx) => ({
    stores: ctx.stores.map(({ id, kind }) => ({ id, kind })),
    streams: listStreams(ctx.config),
  }),
});

const rangeReply = z.object({ from: isoTime(), to: isoTime() });
export const chartReply = z.object({
  series: z.string(),
  object: z.string(),
  property: z.string(),
  type: z.string().optional(),
  kind: z.enum(['numbers', 'states']),
  reduced: z.boolean().describe('Whether columns with their extremes are returned, and not each point.'),
  points: z.number().describe('Stored points in the range.'),
  line: z.array(z.tuple([isoTime(), z.number().nullable()])).describe('Null ends the line.'),
  states: z.array(
    rangeReply.extend({ state: z.string().optional().describe('Missing where it changes often.') }),
  ),
  gaps: z.array(rangeReply).describe('What is not stored.'),
  range: rangeReply,
  store: z.string(),
  stream: z.string(),
});
export type ChartReply = z.output<typeof chartReply>;

const drawChart = route({
  method: 'get',
  path: '/explorer/chart',
  id: 'readChart',
  summary: 'Reads what a chart of one series shows, with its gaps. No extreme is left out.',
  query: z.strictObject({ ...seriesQuery, ...viewQuery, columns: count(10, 4_000).default(1_000) }),
  reply: chartReply,
  async handle(ctx, { query }) {
    const { store, stream, range } = chooseView(ctx, query);
    const series = await chooseSeries(ctx, query.series);
    const chart = await readChart(ctx, { store, stream, series, range, columns: query.columns });
    return {
      ...{ series: query.series, object: series.object, property: series.property },
      type: series.primitiveType ?? undefined,
      ...describeChart(chart),
      range: { from: isoOf(range.from), to: isoOf(range.to) },
      ...{ store: store.id, stream: stream.name },
    };
  },
});

function describeChart({ kind, isReduced, points, line, states, gaps }: SeriesChart) {
  const rangeOf = ({ from, to }: { from: number; to: number }) => ({ from: isoOf(from), to: isoOf(to) });
  return {
    ...{ kind, reduced: isReduced, points },
    line: line.map(([at, value]): [string, number | null] => [isoOf(at), value]),
    states: states.map(({ state, ...range }) => ({ ...rangeOf(range), state })),
    gaps: gaps.map(rangeOf),
  };
}

const valueReply = {
  at: isoTime(),
  value: z.string().optional().describe('The value with all its digits. Missing if there is none.'),
  kind: z.enum(['number', 'boolean', 'text']).optional(),
  quality: z.string().optional().describe('Why the value is not a plain one.'),
};
export const rawPointsReply = pageOf(z.object(valueReply));
export type RawPointsReply = z.output<typeof rawPointsReply>;

const readPoints = route({
  method: 'get',
  path: '/explorer/points',
  id: 'listPoints',
  summary: 'Lists the stored points of a series, page by page.',
  query: z.strictObject({
    ...seriesQuery,
    ...viewQuery,
    order: z.enum(['oldest', 'newest']).default('oldest').describe('The end that the list begins with.'),
    limit: count(1, 1_000).default(100),
    after: isoTime().optional().describe('The `next` of the page before.'),
  }),
  reply: rawPointsReply,
  async handle(ctx, { query }) {
    const { store, stream, range } = chooseView(ctx, query);
    const series = await chooseSeries(ctx, query.series);
    const isOldest = query.order === 'oldest';
    const bound =
      query.after === undefined
        ? {}
        : {
            [isOldest ? 'from' : 'to']: timeOf(query.after, {
              name: 'after',
              config: ctx.config,
              now: ctx.clock(),
            }),
          };
    const page = await readRawPage(store, {
      ...{ stream, series, limit: query.limit },
      range: { ...range, ...bound },
      order: isOldest ? 'oldest first' : 'newest first',
    });
    return {
      items: page.items.map(describeValue),
      next: isoOf(isOldest ? page.next?.from : page.next?.to),
    };
  },
});

type Value = Awaited<ReturnType<typeof readRawPage>>['items'][number];

function describeValue({ at, value, quality }: Value) {
  return { at: isoOf(at), value: value?.text, kind: value?.kind, quality: quality ?? undefined };
}

export const currentReply = z.object({
  current: z
    .object({
      ...valueReply,
      ageSec: z.number().describe('Seconds since the value was polled.'),
      changedAt: isoTime().describe('The first poll that showed this value.'),
    })
    .optional()
    .describe('Missing if the series was never polled.'),
});
export type CurrentReply = z.output<typeof currentReply>;

const readNewest = route({
  method: 'get',
  path: '/explorer/current',
  id: 'readCurrentValue',
  summary: 'Reads the newest polled value of a series.',
  query: z.strictObject(seriesQuery),
  reply: currentReply,
  async handle(ctx, { query }) {
    const newest = await readCurrent(ctx, await chooseSeries(ctx, query.series));
    if (newest === undefined) return {};
    const ageSec = Math.max(0, (ctx.clock() - newest.at) / 1e6);
    return { current: { ...describeValue(newest), ageSec, changedAt: isoOf(newest.changedAt) } };
  },
});

const severalSeries = {
  series: z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat())
    .pipe(z.array(z.string()).min(1).max(20))
    .describe('One or more series.'),
};

export const queriesReply = z.object({
  queries: z.array(
    z.object({
      store: z.string(),
      language: z.enum(['sql', 'influxql']),
      database: z.string(),
      text: z.string(),
    }),
  ),
});
export type QueriesReply = z.output<typeof queriesReply>;

const writeQueries = route({
  method: 'get',
  path: '/explorer/queries',
  id: 'describeQueries',
  summary: 'Writes the statements that read the same points in the language of each store.',
  query: z.strictObject({ ...severalSeries, ...rangeQuery }),
  reply: queriesReply,
  async handle(ctx, { query }) {
    const { stream, range } = chooseView(ctx, query);
    const series = await Promise.all(query.series.map((name) => chooseSeries(ctx, name)));
    return { queries: describeQueries(ctx.stores, { stream, series, range }) };
  },
});

const downloadPoints = route({
  method: 'get',
  path: '/explorer/export',
  id: 'exportPoints',
  summary: 'Returns all stored points of some series as CSV or JSON lines.',
  query: z.strictObject({
    ...severalSeries,
    ...viewQuery,
    format: z.enum(pointFormats).default('csv'),
    timezone: zone().default('UTC').describe('The zone of the times.'),
  }),
  reply: z.object({}),
  files: ['text/csv', 'application/jsonl'],
  async handle(ctx, { query, signal }) {
    const { store, stream, range } = chooseView(ctx, query);
    const series = await Promise.all(query.series.map((name) => chooseSeries(ctx, name)));
    const lines = createPointLines(query.format, createInstantFormatter(query.timezone));
    const chunks = async function* () {
      yield lines.head;
      for await (const part of readExport({ ...range, store, stream }, series)) {
        signal.throwIfAborted();
        yield lines.write(part);
      }
    };
    const type = query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8';
    return new ApiFile(type, Readable.from(chunks()), `points.${query.format}`);
  },
});

export const explorerRoutes = [
  searchSeries,
  readChoices,
  drawChart,
  readPoints,
  readNewest,
  writeQueries,
  downloadPoints,
];
