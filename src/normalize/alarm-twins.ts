import { type AlarmKey, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { alarms } from '../streams/alarms.ts';
import type { ColumnValue, Row } from '../streams/define.ts';
import { toJson } from './text.ts';

/** The alarms of one look that have equal keys: the one that stands for all of them, and how many they are. */
export interface Twins {
  readonly alarm: SeenAlarm;
  readonly count: number;
}

/** The alarm in a row that the record normalizer of `alarms` made. */
export function toSeenAlarm(row: Row): SeenAlarm {
  const entries = alarms.columns.map(({ name }, k): [string, ColumnValue] => [name, row[k] ?? null]);
  return Object.fromEntries([...entries, ['extra', row[entries.length] ?? null]]) as unknown as SeenAlarm;
}

/** The key of an alarm alone. */
export function keyOfAlarm({ object, property, show_name, alarm_type, started_at }: AlarmKey): AlarmKey {
  return { object, property, show_name, alarm_type, started_at };
}

/** What a status says: 1 is yes, 0 is no; null where it says something else, or nothing. */
export function readCode(code: string | null): boolean | null {
  if (code === '1' || code === 'true') return true;
  return code === '0' || code === 'false' ? false : null;
}

/**
 * Puts alarms with equal keys together. Of twins the one that needs most attention stands for all: active before cleared, unacknowledged
 * before acknowledged; which one does not depend on the order in which they come.
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
