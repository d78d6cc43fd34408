import { type AlarmKey, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { alarms } from '../streams/alarms.ts';
import type { ColumnValue, Row } from '../streams/define.ts';
import { toJson } from './text.ts';

/** Alarms of one read that have equal keys: the alarm that stands for all of them, and their number. */
export interface Twins {
  readonly alarm: SeenAlarm;
  readonly count: number;
}

/** Reads the alarm from a row that the record normalizer of `alarms` made. */
export function toSeenAlarm(row: Row): SeenAlarm {
  const entries = alarms.columns.map(({ name }, k): [string, ColumnValue] => [name, row[k] ?? null]);
  return Object.fromEntries([...entries, ['extra', row[entries.length] ?? null]]) as unknown as SeenAlarm;
}

/** Returns only the key of an alarm. */
export function keyOfAlarm({ object, property, show_name, alarm_type, started_at }: AlarmKey): AlarmKey {
  return { object, property, show_name, alarm_type, started_at };
}

/** Reads a status: true for 1, false for 0. Returns null for anything else. */
export function readCode(code: string | null): boolean | null {
  if (code === '1' || code === 'true') return true;
  return code === '0' || code === 'false' ? false : null;
}

/**
 * Groups alarms by equal keys. The alarm of a group that needs most attention stands for the group: active
 * before cleared, unacknowledged before acknowledged. The choice does not depend on the order in which alarms
 * come.
 */
export function uniteTwins(seen: readonly SeenAlarm[]): Map<string, Twins> {
  const united = new Map<string, Twins>();
  for (const alarm of seen) {
    const id = idOfAlarm(alarm);
    const known = united.get(id);
    if (known === undefined) united.set(id, { alarm, count: 1 });
    else united.set(id, { alarm: moreUrgent(known.alarm, alarm), count: known.count + 1 });
  }
  return united;
}

function moreUrgent(one: SeenAlarm, other: SeenAlarm): SeenAlarm {
  const difference = urgencyOf(other) - urgencyOf(one);
  if (difference !== 0) return difference > 0 ? other : one;
  return toJson(other) > toJson(one) ? other : one;
}

function urgencyOf({ status, ack_status }: SeenAlarm): number {
  return (readCode(status) === false ? 0 : 2) + (readCode(ack_status) === true ? 0 : 1);
}
