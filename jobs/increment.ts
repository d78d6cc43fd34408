import type { Config, Selection } from '../src/config/schema.ts';
import { fillHistory, kindOfFill } from '../src/sync/fill.ts';
import { HISTORY } from '../src/sync/plan-fill.ts';
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
  return {
    name: `increment-${index + 1}`,
    schedule,
    needs: directoryOfSeries(config, selection),
    recorded: { stream: HISTORY, kind: kindOfFill({ mode: 'increment', selection }) },
    run: withLookback(lookbackMs, (ctx, again) => fillHistory(ctx, { mode: 'increment', again, selection })),
  };
}
