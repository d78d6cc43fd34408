import { z } from 'zod';
import { readChart, type SeriesChart } from '../../sync/explore/chart-series.ts';
import { findSeries } from '../../sync/explore/find-series.ts';
import { explorerPointRoutes } from './explorer-points.ts';
import {
  chooseSeries,
  chooseView,
  listStreams,
  seriesQuery,
  seriesText,
  viewQuery,
} from './explorer-view.ts';
import { count, isoOf, isoTime } from './fields.ts';
import { route } from './route.ts';

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
  gaps: z.array(rangeReply).describe('What is wanted and not stored.'),
  unwanted: z.array(rangeReply).describe('What is not stored, and not asked for by any selection.'),
  newest: isoTime().optional().describe('The newest stored point before the range, if the range has none.'),
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

function describeChart({ kind, isReduced, points, line, states, gaps, unwanted, newest }: SeriesChart) {
  const rangeOf = ({ from, to }: { from: number; to: number }) => ({ from: isoOf(from), to: isoOf(to) });
  return {
    ...{ kind, reduced: isReduced, points },
    line: line.map(([at, value]): [string, number | null] => [isoOf(at), value]),
    states: states.map(({ state, ...range }) => ({ ...rangeOf(range), state })),
    gaps: gaps.map(rangeOf),
    unwanted: unwanted.map(rangeOf),
    newest: isoOf(newest),
  };
}

export const explorerRoutes = [searchSeries, readChoices, drawChart, ...explorerPointRoutes];
