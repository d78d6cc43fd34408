import type { Config, Selection } from '../src/config/config-schema.ts';
import type { Schedule } from '../src/config/schedule.ts';
import { nextRun } from '../src/queue/next-run.ts';
import { HISTORY } from '../src/series/history-stream.ts';
import { fillHistory } from '../src/sync/history/fill-history.ts';
import { kindOfFill } from '../src/sync/selection/fill-order.ts';
import type { Job } from './job.ts';
import { withLookback } from './lookback.ts';
import { directoryOfSeries } from './scan.ts';

/** Lists one job for each selection whose history is filled. */
export function listIncrements(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) =>
    selection.history.enabled ? makeIncrement(config, selection, index) : [],
  );
}

function makeIncrement(config: Config, selection: Selection, index: number): Job {
  const { schedule, lookbackMs } = selection.history;
  const recorded = { stream: HISTORY, kind: kindOfFill({ mode: 'increment', selection }) };
  return {
    name: `increment-${index + 1}`,
    queue: 'sync',
    schedule,
    needs: directoryOfSeries(config, selection),
    recorded,
    run: withLookback({ lookbackMs, schedule, recorded }, (ctx, again) => {
      const { timezone } = config.schedule;
      const catchUpUntil = endOfPeriod(schedule, { nowMs: ctx.clock() / 1000, timezone });
      return fillHistory(ctx, { mode: 'increment', again, selection, catchUpUntil });
    }),
  };
}

/**
 * Share of the time to the next run that a run may spend on points that only some stores lack. So the next
 * run begins when it is due.
 */
const CATCH_UP_SHARE = 0.9;
/**
 * Least time for the points that only some stores lack, so that they make progress even if the run began
 * late.
 */
const LEAST_CATCH_UP_MS = 10_000;

/** Returns when a run stops reading what only some stores lack (epoch microseconds). */
function endOfPeriod(schedule: Schedule, { nowMs, timezone }: { nowMs: number; timezone: string }): number {
  const nextMs = nextRun(schedule, { afterMs: nowMs, timezone });
  return (nowMs + Math.max(LEAST_CATCH_UP_MS, (nextMs - nowMs) * CATCH_UP_SHARE)) * 1000;
}
