import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { hasRelation } from '../../postgres/schema-change.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import type { Range } from '../../series/types.ts';
import type { AlarmKey, AlarmTransition } from '../../streams/alarm-row.ts';

/** The states that alarms are listed by. */
export const alarmStates = ['all', 'active', 'unacknowledged', 'ended'] as const;
export type AlarmState = (typeof alarmStates)[number];

export interface AlarmListQuestion {
  readonly state: AlarmState;
  /** Only alarms raised in this range. */
  readonly raised: Range;
  /** Only alarms with this text in the names of the alarm, its object or its property. */
  readonly search?: string | undefined;
  /** Only alarms of this priority or a more urgent one. 1 is the most urgent. */
  readonly priority?: number | undefined;
  /** The last alarm of the page before. */
  readonly after?: AlarmKey | undefined;
  readonly limit: number;
}

/** An alarm with its life, as a row of the table has it. Times are epoch microseconds. */
export interface ListedAlarm extends AlarmKey {
  readonly object_show_name: string | null;
  readonly property_show_name: string | null;
  readonly description: string | null;
  readonly priority: number | null;
  readonly value: string | null;
  readonly is_active: boolean | null;
  readonly is_acknowledged: boolean | null;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
  readonly cleared_after: number | null;
  readonly cleared_before: number | null;
  /** What the alarm did, the oldest first. */
  readonly events: readonly ListedAlarmEvent[];
}

export interface ListedAlarmEvent {
  readonly transition: AlarmTransition;
  readonly at: number;
  readonly username: string | null;
  readonly value: string | null;
}

const KEY = ['started_at', 'object', 'property', 'show_name', 'alarm_type'] as const;
/** The most events of one alarm that are listed: the newest ones of an alarm that comes and goes. */
const MOST_EVENTS = 100;

const conditions: Readonly<Record<AlarmState, string>> = {
  all: 'true',
  active: 'a.is_active is distinct from false',
  unacknowledged: 'a.is_acknowledged is distinct from true',
  ended: 'a.is_active is false',
};

/**
 * Lists alarms, those raised last first, each with its events. A page goes on behind the last alarm of the
 * page before. There are none while the tables do not exist.
 */
export async function listAlarms(
  db: Queryable,
  schema: string,
  question: AlarmListQuestion,
): Promise<ListedAlarm[]> {
  const [alarms, events] = [quoteTable(schema, 'alarms'), quoteTable(schema, 'alarm_events')];
  if (!(await hasRelation(db, events))) return [];
  const { state, raised, search, priority, after, limit } = question;
  const order = KEY.map((name) => `a.${name}`).join(', ');
  const beyond = after === undefined ? 'true' : `(${order}) < ($6::timestamptz, $7, $8, $9, $10)`;
  const { rows } = await db.query(
    `select a.*, e.events from (
       select ${order}, object_show_name, property_show_name, description, priority, value, is_active,
         is_acknowledged, acknowledged_at, acknowledged_by, cleared_after, cleared_before
       from ${alarms} as a
       where a.started_at >= $1 and a.started_at < $2 and ${conditions[state]} and ${beyond}
         and ($3::text is null or concat_ws(' ', a.object, a.object_show_name, a.property,
           a.property_show_name, a.show_name, a.description) ilike $3)
         and ($4::int is null or a.priority <= $4)
       order by ${KEY.map((name) => `a.${name} desc`).join(', ')} limit $5) as a
     cross join lateral (
       select coalesce(json_agg(json_build_array(transition, (extract(epoch from at) * 1000000)::bigint,
           username, value) order by at, transition), '[]') as events
       from (select * from ${events} as e
         where e.object = a.object and e.property = a.property and e.show_name = a.show_name
           and e.alarm_type = a.alarm_type and e.started_at = a.started_at
         order by at desc limit ${MOST_EVENTS}) as newest) as e
     order by ${KEY.map((name) => `a.${name} desc`).join(', ')}`,
    [
      timestamptzText(raised.from),
      timestamptzText(raised.to),
      search === undefined ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`,
      priority ?? null,
      limit,
      ...(after === undefined
        ? []
        : [timestamptzText(after.started_at), ...KEY.slice(1).map((name) => after[name])]),
    ],
  );
  return rows.map(
    (row) => ({ ...row, events: (row.events as EventRow[]).map(eventOf) }) as unknown as ListedAlarm,
  );
}

type EventRow = [AlarmTransition, number, string | null, string | null];

function eventOf([transition, at, username, value]: EventRow): ListedAlarmEvent {
  return { transition, at, username, value };
}
