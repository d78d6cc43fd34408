import type { Range, Series } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { patternOf, patternOfAny } from '../selection/select-series.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';
import type { SeriesFilter } from '../selection/series-filter.ts';
import type { MapFilter } from './map-filter.ts';
import { type MapPlace, openPlace, wantedOf } from './map-parts.ts';
import { askMissing, envelopeOf } from './read-coverage-map.ts';
import { type RowIndex, readRowIndex } from './row-index.ts';

export interface MapGapsQuestion extends MapPlace, MapFilter, Range {
  readonly limit: number;
}

/** A range that some series lack. */
export interface MapGap {
  /** The whole gap, also where it reaches beyond the range asked for. */
  readonly range: Range;
  readonly series: number;
  /** One of the series. */
  readonly first: Pick<Series, 'object' | 'property'>;
  /** What a backfill is told to read this gap. Undefined if no pattern says it. */
  readonly fill: SeriesFilter | undefined;
}

export interface MapGaps {
  /** Gaps that touch the range, those with most time of all series first. */
  readonly gaps: readonly MapGap[];
  /** Whether there are more gaps. */
  readonly more: boolean;
  /** The series that were looked at. */
  readonly series: number;
  /** What a backfill is told to read for all these series. Undefined if no pattern says it. */
  readonly fill: SeriesFilter | undefined;
}

/** A pattern with more names is not sensible for people or for a command line. */
const MOST_NAMES = 200;

/** Lists the exact gaps of some series that touch a range. Series that lack the same range are counted. */
export async function listMapGaps(ctx: SyncContext, question: MapGapsQuestion): Promise<MapGaps> {
  const place = openPlace(ctx, question);
  const index = await readRowIndex(ctx, { ...question, groupBy: 'all' });
  const { from, to, limit } = question;
  const found = new Map<string, { range: Range; series: number; firstId: number }>();
  for (const part of index.parts) {
    const wanted = wantedOf(ctx, place, part);
    const view = envelopeOf(wanted);
    const asked = view && askMissing(ctx, { place, part: { ...part, wanted }, view });
    if (asked === undefined || part.series.length === 0) continue;
    const parts = await ctx.ledger.coverage.listParts({ ...asked, touching: { from, to }, limit: limit + 1 });
    for (const each of parts) {
      const key = `${each.range.from} ${each.range.to}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { ...each });
      else known.series += each.series;
    }
  }
  const weight = ({ range, series }: { range: Range; series: number }) => (range.to - range.from) * series;
  const sorted = [...found.values()].sort((a, b) => weight(b) - weight(a) || a.range.from - b.range.from);
  const shown = sorted.slice(0, limit);
  const byId = findSeries(index, new Set(shown.map(({ firstId }) => firstId)));
  const fill = fillOf(ctx, index, question);
  return {
    gaps: shown.map(({ range, series, firstId }) => {
      const first = byId.get(firstId) as Series;
      return { range, series, first, fill: series === 1 ? fillOfOne(first) : fill };
    }),
    more: sorted.length > limit,
    series: index.counts[0] ?? 0,
    fill,
  };
}

function findSeries({ parts }: RowIndex, ids: ReadonlySet<number>): Map<number, Series> {
  const found = parts.flatMap(({ series }) => series.filter(({ id }) => ids.has(id)));
  return new Map(found.map((series) => [series.id, series]));
}

function fillOfOne({ object, property }: Series): SeriesFilter {
  return { objects: patternOf(object), properties: patternOf(property) };
}

function fillOf(ctx: SyncContext, { parts }: RowIndex, question: MapFilter): SeriesFilter | undefined {
  const { objects, properties, template, selection } = question;
  if (selection !== undefined) {
    const own = ctx.config.runtime.find((each) => nameOfSelection(each) === selection);
    return own && { objects: objects ?? own.objects, properties: properties ?? own.properties };
  }
  if (template === undefined) return { objects, properties };
  const names = [...new Set(parts.flatMap(({ series }) => series.map(({ object }) => object)))];
  return names.length > MOST_NAMES ? undefined : { objects: patternOfAny(names), properties };
}
