import type { Config } from '../src/config/config-schema.ts';
import { HISTORY } from '../src/series/history-stream.ts';
import { compareHistory, kindOfVerification } from '../src/sync/verify/verify-history.ts';
import type { Job } from './job.ts';
import { directoryOfSeries } from './scan.ts';

/** Lists one job for each selection whose stored history is compared with the platform now and then. */
export function listVerifications(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) => {
    const { enabled, verify } = selection.history;
    if (!enabled || !verify.enabled) return [];
    return {
      name: `verification-${index + 1}`,
      queue: 'bulk',
      schedule: verify.schedule,
      needs: directoryOfSeries(config, selection),
      recorded: { stream: HISTORY, kind: kindOfVerification(selection) },
      // The first comparison waits for its schedule: data that was just read for the first time need not be
      // compared.
      waits: true,
      async run(ctx) {
        const to = ctx.clock();
        const order = { from: to - verify.rangeMs * 1000, to, selection, repair: verify.repair };
        return (await compareHistory(ctx, order)).summary;
      },
    };
  });
}
