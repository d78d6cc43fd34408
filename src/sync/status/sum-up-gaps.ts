import type { SyncContext } from '../context.ts';
import type { CoverageFilter } from '../selection/fill-order.ts';
import { type HistoryGaps, readHistoryGaps } from './history-gaps.ts';
import { describeWanted, type WantedSeries } from './list-gaps.ts';

/** What is wanted and not stored, in sum. */
export interface GapSummary extends WantedSeries {
  /** A sum for each history and store. */
  readonly sums: readonly HistoryGaps[];
  /** Seconds of the longest gap that reaches to now. The next run reads such gaps. */
  readonly behindSec: number;
  /** Hours that are wanted and not stored, added up over all series, by store. */
  readonly missingHours: Readonly<Record<string, number>>;
}

/** Adds up what the filter asks for and is not stored. The sums of the overview may be given. */
export async function sumUpGaps(
  ctx: SyncContext,
  { sums: given, ...filter }: CoverageFilter & { readonly sums?: readonly HistoryGaps[] | undefined } = {},
): Promise<GapSummary> {
  const sums = given ?? (await readHistoryGaps(ctx, filter));
  const missingHours = Object.fromEntries(ctx.stores.map(({ id }) => [id, 0]));
  for (const { store, hours } of sums)
    if (hours > 0) missingHours[store] = (missingHours[store] ?? 0) + hours;
  return {
    ...(await describeWanted(ctx, filter)),
    sums,
    behindSec: Math.max(0, ...sums.map(({ behindSec }) => behindSec)),
    missingHours,
  };
}
