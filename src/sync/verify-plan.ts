import { overlay, type RangeSet, subtract, toRangeSet } from '../series/range.ts';
import type { Range, Series } from '../series/types.ts';
import type { Batch } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import { clipByRetention, type Destination, planByCoverage } from './plan-fill.ts';

/** What can be compared: for each series the stretches that a store is said to hold, and still keeps, as batches of equal ones. */
export function planVerify(
  ctx: SyncContext,
  { series, range }: { series: readonly Series[]; range: Range },
): Promise<Batch<Destination>[]> {
  return planByCoverage(ctx, { series, wanted: range }, (gaps) => destinationsOf(ctx, range, gaps));
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
