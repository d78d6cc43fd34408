import type { AlarmPoll, PollScope } from '../../src/normalize/apply-alarm-poll.ts';
import type { AlarmRow, SeenAlarm } from '../../src/streams/alarm-row.ts';

/** One second in microseconds. Times in these tests are small numbers of seconds. */
export const SEC = 1e6;

export const everything: PollScope = { filter: null, priorities: undefined, hasKeyword: false };

/**
 * Makes an alarm as a poll shows it: on `temp` of `pump1`, active and not acknowledged, apart from the
 * changes.
 */
export function seenAlarm(changes: Partial<SeenAlarm> = {}): SeenAlarm {
  return {
    object: 'pump1',
    property: 'temp',
    show_name: 'hot',
    alarm_type: 'GT',
    started_at: 0,
    object_show_name: 'Pump 1',
    property_show_name: 'Temperature',
    description: '',
    priority: 5,
    value: '12,5',
    status: '1',
    ack_status: '0',
    acknowledged_at: null,
    acknowledged_by: null,
    extra: null,
    ...changes,
  };
}

/** Makes a complete poll of all alarms. It is asked at this second and answered one second later. */
export function pollAt(
  second: number,
  seen: readonly SeenAlarm[],
  changes: Partial<AlarmPoll> = {},
): AlarmPoll {
  return {
    seen,
    complete: true,
    beganAt: second * SEC,
    endedAt: (second + 1) * SEC,
    scope: everything,
    lastPolls: new Map(),
    maxClearShare: 0.3,
    ...changes,
  };
}

/** Returns the rows after some of them changed. */
export function afterwards(
  rows: readonly AlarmRow[],
  changed: readonly (AlarmRow & { extra: unknown })[],
): AlarmRow[] {
  const idOf = ({ object, property, show_name, alarm_type, started_at }: AlarmRow) =>
    JSON.stringify([object, property, show_name, alarm_type, started_at]);
  const known = new Map(rows.map((row) => [idOf(row), row]));
  for (const { extra: _, ...row } of changed) known.set(idOf(row), row);
  return [...known.values()];
}
