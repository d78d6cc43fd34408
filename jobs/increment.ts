import type { Config, Selection } from '../src/config/config-schema.ts';
import type { Schedule } from '../src/config/schedule.ts';
import { nextRun } from '../src/queue/next-run.ts';
import { HISTORY } from '../src/series/history-stream.ts';
import { fillHistory } from '../src/sync/history/fill-history.ts';
import { kindOfFill } from '../src/sync/selection/fill-order.ts';
import type { Job } from './job.ts';
import { withLookback } from './lookback.ts';
import { directoryOfSeries } from './scan.ts';

/** One job for each selection whose history is filled. */
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

/** Of the time to the next run, what one store alone lacks may take this share: the next run shall begin when it is due. */
const CATCH_UP_SHARE = 0.9;
/** But at least so long, so that it gets on however late the run began. */
const LEAST_CATCH_UP_MS = 10_000;

/** Epoch microseconds. */
function endOfPeriod(schedule: Schedule, { nowMs, timezone }: { nowMs: number; timezone: string }): number {
  const nextMs = nextRun(schedule, { afterMs: nowMs, timezone });
  return (nowMs + Math.max(LEAST_CATCH_UP_MS, (nextMs - nowMs) * CATCH_UP_SHARE)) * 1000;
}
