import type { Config } from '../src/config/config-schema.ts';
import { fillAlarms } from '../src/sync/alarms/fill-alarms.ts';
import { kindOfFill } from '../src/sync/selection/fill-order.ts';
import { ALARMS } from '../src/sync/stream-names.ts';
import type { Job } from './job.ts';
import { withLookback } from './lookback.ts';

/**
 * Lists the job that reads new alarms from the history. Now and then a run also reads the newest part again.
 */
export function listAlarmIncrements({ alarms: { history } }: Config): Job[] {
  if (!history.enabled) return [];
  const { schedule, lookbackMs } = history;
  const recorded = { stream: ALARMS, kind: kindOfFill({ mode: 'increment' }) };
  return [
    {
      name: 'alarm-increment',
      queue: 'sync',
      schedule,
      needs: [],
      recorded,
      run: withLookback({ lookbackMs, schedule, recorded }, (ctx, again) =>
        fillAlarms(ctx, { mode: 'increment', again }),
      ),
    },
  ];
}
