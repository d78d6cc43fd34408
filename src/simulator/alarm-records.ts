import { type List, listOf, mapList } from './plant/collection.ts';
import { type Alarm, isPast } from './plant/plant-alarms.ts';
import { numberParameter, type Query, textParameter } from './query.ts';
import { parameterError } from './refused-call.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';
import { zoneOffset } from './time-format.ts';
import { matchesKeyword, type PlainRecord } from './values.ts';
import type { Call, World } from './world.ts';

const DEFAULT_SPAN_MS = 30 * 86_400_000;

/**
 * Returns the current alarms. `keyword` is an object or property, and status codes are integers
 * (AlarmCurrentInfo).
 */
export function currentAlarms({ alarms, nowMs }: World, { query }: Call): PlainRecord[] {
  const keyword = textParameter(query, 'keyword');
  const now = nowMs();
  return alarms
    .activeAt(now)
    .filter(hasPriority(query))
    .filter(
      (alarm) =>
        keyword === undefined ||
        matchesKeyword(keyword, [
          alarm.sourceObjName,
          alarm.sourceObjShowName,
          alarm.sourcePropName,
          alarm.sourcePropShowName,
        ]),
    )
    .map((alarm) => alarmRecord(alarm, now));
}

/**
 * Returns the alarms raised between `startTime` and `endTime`, by default in the last 30 days. `keyword` is a
 * name or description, and status codes are texts (AlarmHistoryInfo).
 */
export function alarmHistory({ alarms, nowMs, dialect }: World, { query }: Call): List<PlainRecord> {
  const now = nowMs();
  const endMs = Math.min(timeParameter(query, 'endTime', dialect) ?? now, now);
  const startMs = timeParameter(query, 'startTime', dialect) ?? endMs - DEFAULT_SPAN_MS;
  const keyword = textParameter(query, 'keyword');
  const found = alarms
    .raisedBetween(startMs, endMs)
    .filter(hasPriority(query))
    .filter((alarm) => keyword === undefined || matchesKeyword(keyword, [alarm.showName, alarm.description]));
  return mapList(listOf(found), (alarm) => {
    const record = alarmRecord(alarm, now);
    return { ...record, ackStatus: String(record.ackStatus), status: String(record.status) };
  });
}

function hasPriority(query: Query): (alarm: Alarm) => boolean {
  const priority = numberParameter(query, 'priority', { min: 1, max: 10, default: 0 });
  return (alarm) => priority === 0 || alarm.priority === priority;
}

/** Returns an alarm as it was at an instant. `ackStatus` 1 means acknowledged, `status` 1 means active. */
function alarmRecord(alarm: Alarm, nowMs: number): PlainRecord {
  const { raisedMs, acknowledgedMs, ackUserName, clearedMs, ...fields } = alarm;
  const isAcknowledged = isPast(acknowledgedMs, nowMs);
  return {
    ...fields,
    ackStatus: isAcknowledged ? 1 : 0,
    ...(isAcknowledged ? { ackTime: iso(acknowledgedMs ?? 0), ackUserName: ackUserName ?? '' } : {}),
    startTime: iso(raisedMs),
    status: isPast(clearedMs, nowMs) ? 0 : 1,
  };
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

const queryForms: Record<SimulatorDialect['alarmQueryTimes'], RegExp> = {
  'offset-millis': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/,
  'utc-seconds': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  'epoch-ms': /^\d{12,14}$/,
  zoneless: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
};

function timeParameter(query: Query, name: string, dialect: SimulatorDialect): number | undefined {
  const text = textParameter(query, name);
  if (text === undefined) return undefined;
  const timeMs = queryForms[dialect.alarmQueryTimes].test(text) ? parseTime(text, dialect) : Number.NaN;
  if (Number.isNaN(timeMs)) throw parameterError(`${name} is not in the form ${dialect.alarmQueryTimes}`);
  return timeMs;
}

function parseTime(text: string, dialect: SimulatorDialect): number {
  if (dialect.alarmQueryTimes === 'epoch-ms') return Number(text);
  if (dialect.alarmQueryTimes !== 'zoneless') return Date.parse(text);
  const wallMs = Date.parse(`${text.replace(' ', 'T')}Z`);
  const offsetAt = zoneOffset(dialect.zone);
  return wallMs - offsetAt(wallMs - offsetAt(wallMs));
}
