import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { alarmStates } from '../../load/alarms/list-alarms.ts';
import type { AlarmKey } from '../../streams/alarm-row.ts';
import { type AlarmStory, readAlarmLives } from '../../sync/alarms/alarm-lives.ts';
import { readAlarmStatus } from '../../sync/alarms/alarm-status.ts';
import { count, holdsNul, isoOf, isoTime, pageOf, paging, timeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const eventReply = z.object({
  transition: z.enum(['raised', 'acknowledged', 'unacknowledged', 'cleared']),
  at: isoTime(),
  by: z.string().optional().describe('Who acknowledged the alarm.'),
  value: z.string().optional(),
});

export const alarmReply = z.object({
  object: z.string(),
  objectName: z.string().optional().describe('Show name of the object.'),
  property: z.string(),
  propertyName: z.string().optional().describe('Show name of the property.'),
  name: z.string(),
  type: z.string(),
  description: z.string().optional(),
  priority: z.number().optional().describe('1 to 10.'),
  value: z.string().optional(),
  active: z.boolean().optional().describe('Missing if the platform sends an unknown status.'),
  acknowledged: z.boolean().optional(),
  raisedAt: isoTime(),
  acknowledgedAt: isoTime().optional(),
  acknowledgedBy: z.string().optional(),
  acknowledgedAfterSec: z.number().optional().describe('Seconds from raised to acknowledged.'),
  endedAfter: isoTime().optional().describe('The last poll that showed the alarm before it ended.'),
  endedAt: isoTime().optional().describe('The instant by which the alarm had ended.'),
  lastedSec: z.number().optional().describe('Seconds from raised to ended, or to now while it goes on.'),
  events: z.array(eventReply).describe('What the alarm did, the oldest first.'),
});
export type AlarmReply = z.output<typeof alarmReply>;

export const alarmsReply = pageOf(alarmReply);
export type AlarmsReply = z.output<typeof alarmsReply>;

export const alarmCountsReply = z.object({
  total: z.number(),
  active: z.number(),
  unacknowledged: z.number(),
});
export type AlarmCountsReply = z.output<typeof alarmCountsReply>;

const countAlarms = route({
  method: 'get',
  path: '/alarms/counts',
  id: 'countAlarms',
  summary: 'Counts the alarms by their state.',
  reply: alarmCountsReply,
  async handle(ctx) {
    const status = await readAlarmStatus(ctx, new Map());
    const { total = 0, active = 0, unacknowledged = 0 } = status ?? {};
    return { total: Number(total), active: Number(active), unacknowledged: Number(unacknowledged) };
  },
});

const listAlarms = route({
  method: 'get',
  path: '/alarms',
  id: 'listAlarms',
  summary: 'Lists alarms with their lives, those raised last first.',
  query: z.strictObject({
    state: z.enum(alarmStates).default('all'),
    from: timeText().optional().describe('Only alarms raised from this time on.'),
    to: timeText().optional().describe('Only alarms raised before this time.'),
    search: z.string().max(200).optional().describe('A part of the names of alarm, object or property.'),
    priority: count(1, 10).optional().describe('Only this priority and more urgent ones.'),
    ...paging,
  }),
  reply: alarmsReply,
  async handle(ctx, { query }) {
    const { state, search, priority, limit, after } = query;
    const timeIn = (name: 'from' | 'to') => {
      const text = query[name];
      return text === undefined ? undefined : timeOf(text, { name, config: ctx.config, now: ctx.clock() });
    };
    const raised = {
      from: timeIn('from') ?? Number.NEGATIVE_INFINITY,
      to: timeIn('to') ?? Number.POSITIVE_INFINITY,
    };
    const key = after === undefined ? undefined : readCursor(after);
    const page = await readAlarmLives(ctx, { state, raised, search, priority, limit, after: key });
    return { items: page.items.map(describeAlarm), next: page.next && writeCursor(page.next) };
  },
});

/** Epoch microseconds, as far as a `Date` reaches. */
const storedTime = z.number().refine((time) => Number.isInteger(time) && Math.abs(time) <= 8.64e18);
const cursorParts = z
  .tuple([storedTime, z.string(), z.string(), z.string(), z.string()])
  .refine((parts) => !holdsNul(parts));

function writeCursor({ started_at, object, property, show_name, alarm_type }: AlarmKey): string {
  return Buffer.from(JSON.stringify([started_at, object, property, show_name, alarm_type])).toString(
    'base64url',
  );
}

function readCursor(text: string): AlarmKey {
  const parsed = cursorParts.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success)
    throw new UsageError('usage.wrong_request', 'after: is not the `next` of a page of alarms');
  const [started_at, object, property, show_name, alarm_type] = parsed.data;
  return { started_at, object, property, show_name, alarm_type };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeAlarm({ alarm, acknowledgedAfterSec, endedAt, lastedSec }: AlarmStory): AlarmReply {
  return {
    object: alarm.object,
    objectName: alarm.object_show_name ?? undefined,
    property: alarm.property,
    propertyName: alarm.property_show_name ?? undefined,
    name: alarm.show_name,
    type: alarm.alarm_type,
    description: alarm.description ?? undefined,
    priority: alarm.priority ?? undefined,
    value: alarm.value ?? undefined,
    active: alarm.is_active ?? undefined,
    acknowledged: alarm.is_acknowledged ?? undefined,
    raisedAt: isoOf(alarm.started_at),
    acknowledgedAt: isoOf(alarm.acknowledged_at ?? undefined),
    acknowledgedBy: alarm.acknowledged_by ?? undefined,
    acknowledgedAfterSec,
    endedAfter: isoOf(endedAt === undefined ? undefined : (alarm.cleared_after ?? undefined)),
    endedAt: isoOf(endedAt),
    lastedSec,
    events: alarm.events.map(({ transition, at, username, value }) => ({
      transition,
      at: isoOf(at),
      by: username ?? undefined,
      value: value ?? undefined,
    })),
  };
}

export const alarmRoutes = [countAlarms, listAlarms];
