import type { Config } from '../src/config/config-schema.ts';
import { HISTORY } from '../src/series/history-stream.ts';
import { fillHistory } from '../src/sync/history/fill-history.ts';
import { kindOfFill } from '../src/sync/selection/fill-order.ts';
import type { Job } from './job.ts';
import { directoryOfSeries } from './scan.ts';

/** Lists one job for each selection whose history is read again for points that came very late. */
export function listSweeps(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) => {
    if (!selection.history.enabled || !selection.history.sweep.enabled) return [];
    return {
      name: `sweep-${index + 1}`,
      queue: 'sync',
      schedule: selection.history.sweep.schedule,
      needs: directoryOfSeries(config, selection),
      recorded: { stream: HISTORY, kind: kindOfFill({ mode: 'increment', again: 'sweep', selection }) },
      // The first sweep waits for its schedule: data that was just read for the first time need not be read
      // again.
      waits: true,
      run: (ctx) => fillHistory(ctx, { mode: 'increment', again: 'sweep', selection }),
    };
  });
}
