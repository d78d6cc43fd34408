import type { Config } from '../src/config/config-schema.ts';
import { fillAlarms } from '../src/sync/alarms/fill-alarms.ts';
import { kindOfFill } from '../src/sync/selection/fill-order.ts';
import { ALARMS } from '../src/sync/stream-names.ts';
import type { Job } from './job.ts';

/** Lists the job that reads a longer range of the alarm history again, for alarms that came very late. */
export function listAlarmSweeps({ alarms: { history } }: Config): Job[] {
  if (!history.enabled || !history.sweep.enabled) return [];
  const order = { mode: 'increment', again: 'sweep' } as const;
  return [
    {
      name: 'alarm-sweep',
      queue: 'sync',
      schedule: history.sweep.schedule,
      needs: [],
      recorded: { stream: ALARMS, kind: kindOfFill(order) },
      // The first sweep waits for its schedule: data that was just read for the first time need not be read
      // again.
      waits: true,
      run: (ctx) => fillAlarms(ctx, order),
    },
  ];
}
