import type { Config } from '../src/config/schema.ts';
import { fillAlarms, kindOfAlarmFill } from '../src/sync/alarm-fill.ts';
import { ALARMS } from '../src/sync/alarm-settings.ts';
import { LOOKBACK_SHARE } from '../src/sync/plan-fill.ts';
import type { Job } from './job.ts';

/** Reads what is new in the history of alarms and, now and then, again what may have changed. */
export function listAlarmIncrements({ alarms: { history } }: Config): Job[] {
  if (!history.enabled) return [];
  let lookAgainAt = Number.NEGATIVE_INFINITY;
  return [
    {
      name: 'alarm-increment',
      schedule: history.schedule,
      needs: [],
      recorded: { stream: ALARMS, kind: kindOfAlarmFill({ mode: 'increment' }) },
      async run(ctx) {
        const startedAt = ctx.clock();
        const again = startedAt >= lookAgainAt ? 'lookback' : 'none';
        const summary = await fillAlarms(ctx, { mode: 'increment', again });
        if (again === 'lookback' && summary.status !== 'failed')
          lookAgainAt = startedAt + (history.lookbackMs * 1000) / LOOKBACK_SHARE;
        return summary;
      },
    },
  ];
}
