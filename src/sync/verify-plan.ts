import { overlay, type RangeSet, subtract, toRangeSet } from '../series/range.ts';
import type { Range, Series } from '../series/types.ts';
import type { Batch } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import { batchesOf, clipByRetention, type Destination, HISTORY } from './plan-fill.ts';

/** What can be compared: for each series the stretches that a store is said to hold, and still keeps, as batches of equal ones. */
export async function planVerify(
  ctx: SyncContext,
  { series, range }: { series: readonly Series[]; range: Range },
): Promise<Batch<Destination>[]> {
  const byId = new Map(series.map((each) => [each.id, each]));
  const groups = await ctx.ledger.coverage.readGaps({
    stream: HISTORY,
    stores: ctx.stores.map((store) => store.id),
    seriesIds: [...byId.keys()],
    wanted: [range],
  });
  const withGaps = new Set(groups.flatMap(({ seriesIds }) => seriesIds));
  const complete = {
    seriesIds: [...byId.keys()].filter((id) => !withGaps.has(id)),
    gaps: ctx.stores.map(() => []),
  };
  return [...groups, complete].flatMap(({ seriesIds, gaps }) => {
    const members = seriesIds.flatMap((id) => byId.get(id) ?? []);
    return batchesOf(members, destinationsOf(ctx, range, gaps));
  });
}

/** Stretches by the stores that hold them. */
function destinationsOf(
  ctx: SyncContext,
  range: Range,
  gaps: readonly RangeSet[],
): Map<Destination, RangeSet> {
  const stored = ctx.stores.map((store, k) => clipByRetention(ctx, store, subtract([range], gaps[k] ?? [])));
  const byStores = new Map<string, { destination: Destination; ranges: Range[] }>();
  for (const { range: stretch, members } of overlay(stored)) {
    const stores = ctx.stores.filter((_, k) => members.includes(k));
    const key = members.join();
    const known = byStores.get(key) ?? { destination: { stores, fresh: false }, ranges: [] };
    byStores.set(key, known);
    known.ranges.push(stretch);
  }
  return new Map([...byStores.values()].map(({ destination, ranges }) => [destination, toRangeSet(ranges)]));
}
