import type { Config } from '../src/config/schema.ts';
import { fillAlarms } from '../src/sync/alarm-fill.ts';
import { ALARMS } from '../src/sync/alarm-settings.ts';
import { kindOfFill } from '../src/sync/fill.ts';
import type { Job } from './job.ts';

/** Reads a longer stretch of the history of alarms again, for those that came very late. */
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
      // What has just been read for the first time need not be read again.
      waits: true,
      run: (ctx) => fillAlarms(ctx, order),
    },
  ];
}
