import type { Config } from '../src/config/schema.ts';
import { CURRENT, kindOfPoll, pollCurrent } from '../src/sync/poll.ts';
import type { Job } from './job.ts';
import { directoryOfSeries } from './scan.ts';

/** One job for each selection whose current values are polled. */
export function listPolls(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) => {
    if (!selection.current.enabled) return [];
    return {
      name: `poll-${index + 1}`,
      schedule: selection.current.schedule,
      needs: directoryOfSeries(config, selection),
      recorded: { stream: CURRENT, kind: kindOfPoll(selection) },
      run: (ctx) => pollCurrent(ctx, selection),
    };
  });
}
