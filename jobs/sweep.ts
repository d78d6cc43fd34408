import type { Config } from '../src/config/schema.ts';
import { fillHistory } from '../src/sync/fill.ts';
import { HISTORY } from '../src/sync/plan-fill.ts';
import type { Job } from './job.ts';
import { onlyHistoryOf } from './only-history-of.ts';
import { directoryOfSeries } from './scan.ts';

/** One job for each selection whose history is read again for very late points. */
export function listSweeps(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) => {
    if (!selection.history.enabled || !selection.history.sweep.enabled) return [];
    return {
      name: `sweep-${index + 1}`,
      schedule: selection.history.sweep.schedule,
      needs: directoryOfSeries(config),
      recorded: { stream: HISTORY, kind: 'sweep' },
      // What has just been read for the first time need not be read again.
      waits: true,
      run: (ctx) => fillHistory(onlyHistoryOf(ctx, selection), { mode: 'increment', again: 'sweep' }),
    };
  });
}
