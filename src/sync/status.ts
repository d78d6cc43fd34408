import type { RunRecord } from '../ledger/runs.ts';
import { type RangeSet, toRangeSet, unite, widthOf } from '../series/range.ts';
import { type Range, seriesName } from '../series/types.ts';
import type { SyncContext } from './context.ts';
import { type FillOrder, planHistory } from './fill.ts';

/** What `plantsync status` shows. */
export interface Status {
  /** The newest run of every stream and kind, newest first. */
  readonly runs: RunRecord[];
  /** Open rejects, by stream. */
  readonly rejects: Record<string, number>;
  /** Polls that wait for a store, by store. */
  readonly outbox: Record<string, number>;
  /** Hours that are wanted and not stored, over all series, by store. */
  readonly missingHours: Record<string, number>;
}

/** Missing ranges of one series in one store. */
export interface SeriesGaps {
  readonly store: string;
  readonly series: string;
  readonly ranges: RangeSet;
}

export async function readStatus(ctx: SyncContext): Promise<Status> {
  const missingHours: Record<string, number> = Object.fromEntries(ctx.stores.map((store) => [store.id, 0]));
  for (const { store, ranges } of await listGaps(ctx))
    missingHours[store] = (missingHours[store] ?? 0) + widthOf(ranges) / 3.6e9;
  return {
    runs: await ctx.ledger.runs.readLast(),
    rejects: Object.fromEntries(await ctx.ledger.rejects.countOpen()),
    outbox: Object.fromEntries(await ctx.ledger.outbox.count()),
    missingHours,
  };
}

/** What is wanted (or, given a range, what lies in it) and not stored, for each store and series. */
export async function listGaps(
  ctx: SyncContext,
  range?: Range & { objects?: string; properties?: string },
): Promise<SeriesGaps[]> {
  const order: FillOrder =
    range === undefined ? { mode: 'increment', again: 'none' } : { mode: 'backfill', ...range };
  const gaps = new Map<string, { store: string; series: string; ranges: RangeSet }>();
  for (const { series, missing, tag } of await planHistory(ctx, order)) {
    for (const store of tag.stores)
      for (const each of series) {
        const key = `${store.id}\n${each.id}`;
        const known = gaps.get(key);
        gaps.set(key, {
          store: store.id,
          series: seriesName(each),
          ranges: unite(known?.ranges ?? [], toRangeSet(missing)),
        });
      }
  }
  return [...gaps.values()];
}
