import type { SyncContext } from '../src/sync/context.ts';
import { LOOKBACK_SHARE } from '../src/sync/plan-fill.ts';
import type { RunSummary } from '../src/sync/summary.ts';

/** Makes the run of an increment that reads the newest data again, but not at every turn: when a share of the lookback has passed. */
export function withLookback(
  lookbackMs: number,
  fill: (ctx: SyncContext, again: 'lookback' | 'none') => Promise<RunSummary>,
): (ctx: SyncContext) => Promise<RunSummary> {
  let lookAgainAt = Number.NEGATIVE_INFINITY;
  return async (ctx) => {
    const startedAt = ctx.clock();
    const again = startedAt >= lookAgainAt ? 'lookback' : 'none';
    const summary = await fill(ctx, again);
    if (again === 'lookback' && summary.status !== 'failed')
      lookAgainAt = startedAt + (lookbackMs * 1000) / LOOKBACK_SHARE;
    return summary;
  };
}
