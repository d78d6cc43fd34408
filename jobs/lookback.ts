import type { SyncContext } from '../src/sync/context.ts';
import { LOOKBACK_SHARE } from '../src/sync/plan-fill.ts';
import type { RunSummary } from '../src/sync/summary.ts';
import type { Job } from './job.ts';

/**
 * Makes the run of an increment that reads the newest data again, but not at every turn: when a share of the lookback has passed
 * since that was done last, by whichever process.
 */
export function withLookback(
  { lookbackMs, recorded }: { lookbackMs: number } & Pick<Job, 'recorded'>,
  fill: (ctx: SyncContext, again: 'lookback' | 'none') => Promise<RunSummary>,
): Job['run'] {
  return async (ctx) => {
    const doneAt = await ctx.ledger.runs.readLastLookback(recorded);
    const isDue = doneAt === undefined || ctx.clock() >= doneAt + (lookbackMs * 1000) / LOOKBACK_SHARE;
    return fill(ctx, isDue ? 'lookback' : 'none');
  };
}
