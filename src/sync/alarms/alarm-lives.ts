import {
  type AlarmListQuestion,
  type ListedAlarm,
  type ListedAlarmEvent,
  listAlarms,
} from '../../load/alarms/list-alarms.ts';
import type { AlarmKey } from '../../streams/alarm-row.ts';
import type { SyncContext } from '../context.ts';

/** An alarm from raised to ended. Times are epoch microseconds. */
export interface AlarmStory {
  readonly alarm: ListedAlarm;
  /** Seconds from raised to acknowledged. Undefined if nobody has acknowledged it, or nobody knows when. */
  readonly acknowledgedAfterSec: number | undefined;
  /** The last instant at which the alarm may have ended. Undefined while it goes on, or nobody knows. */
  readonly endedAt: number | undefined;
  /** Seconds from raised to ended, or to now while it goes on. Undefined if the end is not known. */
  readonly lastedSec: number | undefined;
}

/** A page of alarms. `next` is where the next page begins; undefined on the last page. */
export interface AlarmPage {
  readonly items: readonly AlarmStory[];
  readonly next: AlarmKey | undefined;
}

/** Reads a page of alarms with their lives, those raised last first. */
export async function readAlarmLives(
  ctx: Pick<SyncContext, 'db' | 'schemas' | 'clock'>,
  question: AlarmListQuestion,
): Promise<AlarmPage> {
  const { limit } = question;
  const found = await listAlarms(ctx.db, ctx.schemas.data, { ...question, limit: limit + 1 });
  const items = found.slice(0, limit).map((alarm) => tellLife(alarm, ctx.clock()));
  const last = items.at(-1)?.alarm;
  return { items, next: found.length > limit ? last : undefined };
}

/** Tells how long an alarm waited to be acknowledged, and how long it lasted. Pure. */
export function tellLife(alarm: ListedAlarm, nowUs: number): AlarmStory {
  const { started_at: raised, is_active: active, is_acknowledged: acknowledged } = alarm;
  const acknowledgedAt =
    acknowledged === false ? undefined : (alarm.acknowledged_at ?? firstOf(alarm.events));
  const endedAt = active === false ? (alarm.cleared_before ?? undefined) : undefined;
  const end = active === false ? endedAt : nowUs;
  return {
    alarm,
    acknowledgedAfterSec: secondsBetween(raised, acknowledgedAt),
    endedAt,
    lastedSec: secondsBetween(raised, end),
  };
}

/** The platform may not state when an alarm was acknowledged. Then the poll that found it tells. */
function firstOf(events: readonly ListedAlarmEvent[]): number | undefined {
  return events.findLast(({ transition }) => transition === 'acknowledged')?.at;
}

function secondsBetween(from: number, to: number | undefined): number | undefined {
  return to === undefined ? undefined : Math.max(0, (to - from) / 1e6);
}
