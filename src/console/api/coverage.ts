import { z } from 'zod';
import type { Range } from '../../series/types.ts';
import { listMapGaps } from '../../sync/coverage-map/list-map-gaps.ts';
import { groupings } from '../../sync/coverage-map/map-filter.ts';
import { readCoverageMap } from '../../sync/coverage-map/read-coverage-map.ts';
import { readSources } from '../../sync/coverage-map/read-sources.ts';
import type { SeriesFilter } from '../../sync/selection/series-filter.ts';
import type { ApiContext } from './api-context.ts';
import { count, isoOf, isoTime, rangeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const glob = (what: string) => z.string().min(1).optional().describe(`Glob for the aliases of ${what}.`);

/** The place and the series that a map shows. */
const shown = {
  store: z.string().describe('Identity of the store, as in /coverage/sources.'),
  stream: z.string().describe('Name of the stream: `history`, `history/300s/mean`, `alarms`.'),
  from: timeText(),
  to: timeText(),
  object: glob('objects'),
  property: glob('properties'),
  template: z.string().optional().describe('Alias of a template. Empty: objects without a known template.'),
  selection: z.string().optional().describe('A selection of the configuration, as `objects/properties`.'),
};
type Shown = z.output<z.ZodObject<typeof shown>>;

/** Reads the place, the range and the filter from a checked query. */
function shownOf(ctx: ApiContext, { object, property, from, to, ...query }: Shown) {
  return { ...query, ...rangeOf(ctx, { from, to }), objects: object, properties: property };
}

/** A share from 0 to 1. It is 1 only if nothing is missing, and 0 only if nothing is stored. */
const share = () => z.number().nullable();

const wanted = () =>
  z
    .object({ from: isoTime(), to: isoTime() })
    .optional()
    .describe('From the first instant that is wanted of any series to the last.');

const mapReply = z.object({
  from: isoTime(),
  to: isoTime(),
  columns: z.number(),
  wanted: wanted(),
  total: z.number().describe('Rows that there are.'),
  rows: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional().describe('What people call the object.'),
      filter: z
        .object({
          object: z.string().optional(),
          property: z.string().optional(),
          template: z.string().optional(),
          selection: z.string().optional(),
        })
        .describe('The parameters that select the series of the row.'),
      series: z.number(),
      share: share().describe('The share of the wanted time that is stored. Null if nothing is wanted.'),
      missingSec: z.number().describe('Seconds that are missing, added up over the series.'),
      cells: z.array(share()).describe('The same share for each cell.'),
      kept: z
        .array(z.number())
        .optional()
        .describe('For each cell, the share that is stored though the configuration does not want it.'),
    }),
  ),
});

const getMap = route({
  method: 'get',
  path: '/coverage',
  id: 'getCoverage',
  summary: 'Tells how much of the wanted data a store has over time, as rows of cells.',
  query: z.strictObject({
    ...shown,
    columns: count(1, 2000).default(400).describe('Cells of each row.'),
    groupBy: z.enum(groupings).default('object').describe('What a row is. `none`: one series.'),
    order: z.enum(['name', 'missing']).default('name').describe('`missing`: rows that lack most come first.'),
    offset: count(0, 10_000_000).default(0),
    limit: count(1, 500).default(100),
  }),
  reply: mapReply,
  handle: async (ctx, { query }) => {
    const { columns, groupBy, order, offset, limit, ...place } = query;
    const question = { ...shownOf(ctx, place), columns, groupBy, order, offset, limit };
    const map = await readCoverageMap(ctx, question);
    return {
      ...{ from: isoOf(map.range.from), to: isoOf(map.range.to), columns, total: map.total },
      wanted: spanOf(map.wanted),
      rows: map.rows.map(({ cells, filter: { objects, properties, ...filter }, ...row }) => ({
        ...row,
        filter: { ...filter, object: objects, property: properties },
        share: row.share ?? null,
        cells: cells.map((cell) => cell ?? null),
        kept: row.kept && [...row.kept],
      })),
    };
  },
});

const fill = () =>
  z
    .object({ object: z.string().optional(), property: z.string().optional() })
    .optional()
    .describe('What a backfill is told for these series. Missing if they are too many to name.');

const gapsReply = z.object({
  series: z.number().describe('Series that were looked at.'),
  more: z.boolean().describe('Whether there are more gaps.'),
  fill: fill(),
  items: z.array(
    z.object({
      from: isoTime(),
      to: isoTime(),
      series: z.number().describe('Series that lack exactly this range.'),
      first: z.object({ object: z.string(), property: z.string() }).describe('One of them.'),
      fill: fill(),
    }),
  ),
});

const getGaps = route({
  method: 'get',
  path: '/coverage/gaps',
  id: 'getCoverageGaps',
  summary: 'Lists the exact gaps that touch a range, those with most time of all series first.',
  query: z.strictObject({ ...shown, limit: count(1, 500).default(50) }),
  reply: gapsReply,
  handle: async (ctx, { query: { limit, ...place } }) => {
    const found = await listMapGaps(ctx, { ...shownOf(ctx, place), limit });
    const { series, more } = found;
    return {
      ...{ series, more, fill: fillOf(found.fill) },
      items: found.gaps.map((gap) => ({
        ...{ from: isoOf(gap.range.from), to: isoOf(gap.range.to), series: gap.series },
        first: { object: gap.first.object, property: gap.first.property },
        fill: fillOf(gap.fill),
      })),
    };
  },
});

const fillOf = (filter: SeriesFilter | undefined) =>
  filter && { object: filter.objects, property: filter.properties };

const sourcesReply = z.object({
  now: isoTime().describe('The time of this machine.'),
  streams: z.array(
    z.object({
      name: z.string(),
      stepSec: z.number().describe('Ranges are whole multiples of this.'),
      stores: z.array(z.object({ id: z.string(), kind: z.string(), wanted: wanted() })),
    }),
  ),
});

const getSources = route({
  method: 'get',
  path: '/coverage/sources',
  id: 'getCoverageSources',
  summary: 'Lists the streams of history, the stores that take them, and the time that is wanted.',
  reply: sourcesReply,
  handle: async (ctx) => {
    const sources = await readSources(ctx);
    return {
      now: isoOf(ctx.clock()),
      streams: sources.map(({ stream, stepSec, stores }) => ({
        ...{ name: stream, stepSec },
        stores: stores.map(({ id, kind, wanted: range }) => ({ id, kind, wanted: spanOf(range) })),
      })),
    };
  },
});

const spanOf = (range: Range | undefined) => range && { from: isoOf(range.from), to: isoOf(range.to) };

export type CoverageReply = z.output<typeof mapReply>;
export type CoverageRow = CoverageReply['rows'][number];
export type CoverageGaps = z.output<typeof gapsReply>;
export type CoverageSources = z.output<typeof sourcesReply>;

export const coverageRoutes = [getMap, getGaps, getSources];
