import type { Schedule } from '../src/config/schedule.ts';
import { periodOf } from '../src/queue/next-run.ts';
import type { SyncContext } from '../src/sync/context.ts';
import { LOOKBACK_SHARE } from '../src/sync/history/plan-fill.ts';
import { isDue } from '../src/sync/is-due.ts';
import type { RunSummary } from '../src/sync/run-summary.ts';
import type { Job } from './job.ts';

/**
 * Makes the `run` of an increment job. A run also reads the newest data again if a share of the lookback has
 * passed since any process last did so.
 */
export function withLookback(
  { lookbackMs, schedule, recorded }: { lookbackMs: number; schedule: Schedule } & Pick<Job, 'recorded'>,
  fill: (ctx: SyncContext, again: 'lookback' | 'none') => Promise<RunSummary>,
): Job['run'] {
  return async (ctx) => {
    const doneAt = await ctx.ledger.runs.readLastLookback(recorded);
    const nowMs = ctx.clock() / 1000;
    const periodMs = periodOf(schedule, { nowMs, timezone: ctx.config.schedule.timezone });
    const everyMs = lookbackMs / LOOKBACK_SHARE;
    const isTime = doneAt === undefined || isDue({ ageMs: nowMs - doneAt / 1000, everyMs, periodMs });
    return fill(ctx, isTime ? 'lookback' : 'none');
  };
}
