import type { Config } from '../src/config/config-schema.ts';
import { ALARM_POLL, pollAlarms } from '../src/sync/alarms/poll-alarms.ts';
import { ALARMS } from '../src/sync/stream-names.ts';
import type { Job } from './job.ts';

/** Lists the job that polls the current alarms. */
export function listAlarmPolls({ alarms: { current } }: Config): Job[] {
  if (!current.enabled) return [];
  return [
    {
      name: 'alarm-poll',
      queue: 'live',
      schedule: current.schedule,
      needs: [],
      recorded: { stream: ALARMS, kind: ALARM_POLL },
      run: pollAlarms,
    },
  ];
}
