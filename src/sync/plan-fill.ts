import type { PointStore } from '../load/store.ts';
import { intersect, overlay, type RangeSet, subtract, toRangeSet, unite } from '../series/range.ts';
import { type Range, type Series, seriesName } from '../series/types.ts';
import type { Batch } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';

/** Stream name of raw history in the ledger. */
export const HISTORY = 'history';

/** Where the rows of a batch go. */
export interface Destination {
  /** Stores that lack this stretch. */
  readonly stores: readonly PointStore[];
  /** False where the stretch is read once more although it is stored. */
  readonly fresh: boolean;
}

export interface FillQuestion {
  readonly series: readonly Series[];
  /** What every store shall have. */
  readonly wanted: Range;
  /** What is read again even where it is stored: late points may have come. */
  readonly again?: Range | undefined;
}

/** Series asked for in one request. */
const SERIES_PER_READ = 100;

/** All fill work is this one subtraction: wanted − covered, for each store and series, as batches of equal gaps. */
export async function planFill(ctx: SyncContext, question: FillQuestion): Promise<Batch<Destination>[]> {
  const { series, wanted } = question;
  const again = question.again === undefined ? [] : intersect([question.again], [wanted]);
  const byId = new Map(series.map((each) => [each.id, each]));
  const groups = await ctx.ledger.coverage.readGaps({
    stream: HISTORY,
    stores: ctx.stores.map((store) => store.id),
    seriesIds: [...byId.keys()],
    wanted: [wanted],
  });
  const withGaps = new Set(groups.flatMap((group) => group.seriesIds));
  const covered = {
    seriesIds: [...byId.keys()].filter((id) => !withGaps.has(id)),
    gaps: ctx.stores.map(() => []),
  };
  return [...groups, covered].flatMap((group) => {
    const members = group.seriesIds.flatMap((id) => byId.get(id) ?? []);
    const gaps = group.gaps.map((gap, k) => clipByRetention(ctx, ctx.stores[k], gap));
    return batchesOf(members, destinationsOf(ctx, gaps, again));
  });
}

/** A store is not offered what it would refuse for its age. */
function clipByRetention(ctx: SyncContext, store: PointStore | undefined, gaps: RangeSet): RangeSet {
  const retentionMs = store?.retentionMs?.();
  if (retentionMs === undefined) return gaps;
  const oldestSec = Math.ceil((ctx.clock() - retentionMs * 1000) / 1e6);
  return intersect(gaps, [{ from: oldestSec * 1e6, to: Number.POSITIVE_INFINITY }]);
}

/** Stretches by the stores that lack them, and what is read again, which all stores get. */
function destinationsOf(
  ctx: SyncContext,
  gaps: readonly RangeSet[],
  again: RangeSet,
): Map<Destination, RangeSet> {
  const destinations = new Map<Destination, RangeSet>();
  const known = new Map<string, Destination>();
  for (const { range, members } of overlay(gaps)) {
    const key = members.join();
    const destination = known.get(key) ?? {
      stores: ctx.stores.filter((_, k) => members.includes(k)),
      fresh: true,
    };
    known.set(key, destination);
    destinations.set(destination, unite(destinations.get(destination) ?? [], [range]));
  }
  const rest = subtract(again, toRangeSet(gaps.flat()));
  if (rest.length > 0) destinations.set({ stores: ctx.stores, fresh: false }, rest);
  return destinations;
}

function batchesOf(
  series: readonly Series[],
  destinations: ReadonlyMap<Destination, RangeSet>,
): Batch<Destination>[] {
  const chunks = chunksOf(series);
  return [...destinations].flatMap(([tag, missing]) =>
    chunks.map((chunk) => ({ series: chunk, missing, tag })),
  );
}

/** Chunks for one request each; two series with the same dotted name never share one, or their rows could not be told apart. */
function chunksOf(series: readonly Series[]): Series[][] {
  const chunks: { names: Set<string>; series: Series[] }[] = [];
  for (const each of series) {
    const name = seriesName(each);
    let chunk = chunks.at(-1);
    if (chunk === undefined || chunk.series.length >= SERIES_PER_READ || chunk.names.has(name)) {
      chunk = { names: new Set(), series: [] };
      chunks.push(chunk);
    }
    chunk.names.add(name);
    chunk.series.push(each);
  }
  return chunks.map((chunk) => chunk.series);
}
