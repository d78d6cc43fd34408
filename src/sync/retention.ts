import type { PointStore } from '../load/stores/store.ts';
import { alignUp } from '../series/history-stream.ts';
import { formatInstant } from '../series/instant.ts';
import { intersect, type RangeSet } from '../series/range.ts';
import type { Range } from '../series/types.ts';
import type { SyncContext } from './context.ts';

/**
 * Stores drop points of a certain age. Reads keep this share of that age as a distance, within the two
 * bounds.
 */
const MARGIN_SHARE = 0.01;
const LEAST_MARGIN_US = 60e6;
const MOST_MARGIN_US = 3_600e6;

/**
 * Returns the first instant (epoch microseconds) that a store still takes. Returns minus infinity if the
 * store keeps everything.
 */
export function oldestKept(ctx: Pick<SyncContext, 'clock'>, store: PointStore): number {
  const retentionMs = store.retentionMs?.();
  if (retentionMs === undefined) return Number.NEGATIVE_INFINITY;
  const micros = retentionMs * 1000;
  const margin = Math.min(MOST_MARGIN_US, Math.max(LEAST_MARGIN_US, micros * MARGIN_SHARE));
  return ctx.clock() - micros + Math.min(margin, micros / 2);
}

/**
 * Cuts ranges to the whole steps that a store still takes. A store is not offered points that it refuses for
 * their age.
 */
export function clipByRetention(
  ctx: Pick<SyncContext, 'clock'>,
  store: PointStore,
  { ranges, stepSec }: { ranges: RangeSet; stepSec: number },
): RangeSet {
  const oldest = oldestKept(ctx, store);
  if (oldest === Number.NEGATIVE_INFINITY) return ranges;
  return intersect(ranges, [{ from: alignUp(oldest, stepSec), to: Number.POSITIVE_INFINITY }]);
}

/** Says how much of a range is too old for the stores. */
export interface TooOld {
  /** Whether no store takes any part of the range. */
  readonly all: boolean;
  /** One sentence for each store that does not take the whole range. */
  readonly sentences: string[];
}

export function findTooOld(ctx: SyncContext, { from, to }: Range): TooOld {
  const kept = ctx.stores.map((store) => ({ store, oldest: oldestKept(ctx, store) }));
  const sentences = kept
    .filter(({ oldest }) => from < oldest)
    .map(({ store, oldest }) => {
      const since = formatInstant(alignUp(oldest, 1));
      return `${store.id} keeps points since ${since} only: nothing older is read for it`;
    });
  return { all: kept.length > 0 && kept.every(({ oldest }) => to <= oldest), sentences };
}
