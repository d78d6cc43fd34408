import { intersect, type RangeSet, subtract, widthOf } from '../../series/range.ts';
import type { Range, Series } from '../../series/types.ts';
import { platformNow, type SyncContext } from '../context.ts';
import type { SeriesFilter } from '../selection/series-filter.ts';
import { newestGaps } from '../status/list-gaps.ts';
import {
  listSources,
  type MapPart,
  type MapSource,
  type OpenedPlace,
  openPlace,
  wantedOf,
} from './map-parts.ts';
import { type RowIndex, readRowIndex } from './row-index.ts';

export interface AvailabilityQuestion extends SeriesFilter {
  /** Identity of a store; all stores if not given. */
  readonly store?: string | undefined;
  /** Name of a stream; all streams with a history if not given. */
  readonly stream?: string | undefined;
  /** Epoch microseconds. Without a bound, all that is stored is told. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Ranges with at most this time between them count as one. */
  readonly mergeGapSec: number;
  /** Place in the list of all series of all streams. The answer begins there. */
  readonly offset: number;
  /** Most series. */
  readonly limit: number;
}

/** What one store has of one series. */
export interface Availability extends Pick<Series, 'object' | 'property'> {
  readonly store: string;
  readonly stream: string;
  /** What is stored. Small gaps are merged. */
  readonly ranges: RangeSet;
  /**
   * What is wanted and not stored, without gaps that are merged. With a bound given, everything in the range
   * is wanted; else what the configuration wants.
   */
  readonly gaps: RangeSet;
  /** Seconds that are stored, without merged gaps. */
  readonly storedSec: number;
}

export interface AvailabilityReport {
  readonly items: readonly Availability[];
  /** Place where to go on. Undefined if there are no more series. */
  readonly next: number | undefined;
}

/** No more series are read once so many ranges were found, so that an answer stays bounded. */
const MOST_RANGES = 20_000;
const SERIES_AT_ONCE = 100;

/** Reads which ranges of the selected series each store has, by stream and name of the series. */
export async function readAvailability(
  ctx: SyncContext,
  question: AvailabilityQuestion,
): Promise<AvailabilityReport> {
  const { objects, properties, offset, limit } = question;
  const items: Availability[] = [];
  let ranges = 0;
  let passed = 0;
  for (const { stream, stores } of chooseSources(ctx, question)) {
    const index = await readRowIndex(ctx, { stream, objects, properties, groupBy: 'none' });
    const places = stores.map(({ id }) => openPlace(ctx, { store: id, stream }));
    const end = Math.min(index.names.length, offset + limit - passed);
    for (let at = Math.max(0, offset - passed); at < end; at += SERIES_AT_ONCE) {
      if (ranges >= MOST_RANGES) return { items, next: passed + at };
      const rows = { from: at, to: Math.min(end, at + SERIES_AT_ONCE) };
      const found = await readRows(ctx, question, { index, places, rows });
      items.push(...found);
      ranges += found.reduce((count, each) => count + each.ranges.length + each.gaps.length, 0);
    }
    passed += index.names.length;
  }
  return { items, next: passed > offset + limit ? offset + limit : undefined };
}

/** Throws a `UsageError` if there is no such store or stream. */
function chooseSources(ctx: SyncContext, { store, stream }: AvailabilityQuestion): MapSource[] {
  const sources = listSources(ctx);
  const chosen = sources
    .filter((each) => stream === undefined || each.stream === stream)
    .map((each) => ({ ...each, stores: each.stores.filter(({ id }) => store === undefined || id === store) }))
    .filter(({ stores }) => stores.length > 0);
  if (chosen.length === 0 && (store !== undefined || stream !== undefined))
    openPlace(ctx, { store: store ?? '', stream: stream ?? sources[0]?.stream ?? '' });
  return chosen;
}

interface Rows {
  readonly index: RowIndex;
  readonly places: readonly OpenedPlace[];
  /** Rows of the index, without the last. */
  readonly rows: Range;
}

async function readRows(
  ctx: SyncContext,
  question: AvailabilityQuestion,
  { index, places, rows }: Rows,
): Promise<Availability[]> {
  const found: { row: number; item: Availability }[] = [];
  for (const part of index.parts) {
    const isAsked = (row: number) => row >= rows.from && row < rows.to;
    const series = part.series.flatMap((each, k) => {
      const row = part.rows[k] as number;
      return isAsked(row) ? [{ row, each }] : [];
    });
    if (series.length === 0) continue;
    for (const place of places) {
      const seriesIds = series.map(({ each }) => each.id);
      const at = { store: place.store.id, stream: place.ledgerName };
      const covered = await ctx.ledger.coverage.read({ ...at, seriesIds });
      const tell = describeFor(ctx, question, { place, part });
      for (const { row, each } of series) found.push({ row, item: tell(each, covered.get(each.id) ?? []) });
    }
  }
  return found.sort((a, b) => a.row - b.row).map(({ item }) => item);
}

/** Makes the function that describes what a place has of a series. */
function describeFor(
  ctx: SyncContext,
  question: AvailabilityQuestion,
  { place, part }: { place: OpenedPlace; part: MapPart },
): (series: Series, covered: RangeSet) => Availability {
  const { from, to, mergeGapSec } = question;
  const asked = { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY };
  const configured = wantedOf(ctx, place, part);
  const isBounded = from !== undefined || to !== undefined;
  const head = configured.at(-1)?.to ?? platformNow(ctx);
  const begin = from ?? configured[0]?.from ?? head;
  const wanted = isBounded ? intersect([{ from: begin, to: Math.max(begin, head) }], [asked]) : configured;
  const { endUs, widthUs } = newestGaps(ctx, place.stepSec);
  const isNewest = (gap: Range) => gap.to > endUs && gap.to - gap.from < widthUs;
  const counts = (gap: Range) => gap.to - gap.from > mergeGapSec * 1e6 && !isNewest(gap);
  return ({ object, property }, covered) => {
    const stored = intersect(covered, [asked]);
    return {
      ...{ object, property, store: place.store.id, stream: place.stream },
      ranges: mergeNear(stored, mergeGapSec * 1e6),
      gaps: intersect(subtract(wanted, covered).filter(counts), [asked]),
      storedSec: widthOf(stored) / 1e6,
    };
  };
}

/** Joins ranges that have at most so many microseconds between them. */
function mergeNear(ranges: RangeSet, mostUs: number): RangeSet {
  const merged: Range[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && range.from - last.to <= mostUs)
      merged[merged.length - 1] = { from: last.from, to: range.to };
    else merged.push(range);
  }
  return merged;
}
