import { Readable } from 'node:stream';
import { z } from 'zod';
import { zone } from '../../config/fields.ts';
import { createInstantFormatter } from '../../series/zoned-instant.ts';
import { readExport } from '../../sync/explore/export-points.ts';
import { createPointLines, pointFormats } from '../../sync/explore/point-lines.ts';
import { describeQueries, readCurrent, readRawPage } from '../../sync/explore/read-values.ts';
import { chooseSeries, chooseView, rangeQuery, seriesQuery, viewQuery } from './explorer-view.ts';
import { count, isoOf, isoTime, pageOf, timeOf } from './fields.ts';
import { ApiFile, route } from './route.ts';

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

export const explorerPointRoutes = [readPoints, readNewest, writeQueries, downloadPoints];
