import { type AlarmRow, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { type AlarmChanges, AlarmDraft } from './alarm-change.ts';
import { readCode, type Twins, uniteTwins } from './alarm-twins.ts';
import { isInScope, type PollScope } from './apply-alarm-poll.ts';

/** The alarms that the history of a time range shows. */
export interface AlarmHistoryRead {
  readonly seen: readonly SeenAlarm[];
  /** When the read ended, in epoch microseconds. */
  readonly endedAt: number;
  /** The alarms that polls look at. Undefined if there are no polls. */
  readonly polled: PollScope | undefined;
}

/**
 * Returns the changes that a read of alarm history leads to. History fills and corrects, but tells no time at
 * which an alarm cleared. For alarms that polls look at, history only confirms a clearing that polls have
 * found; it raises no alarm again. `known` holds the rows of the alarms in the read. Pure.
 */
export function applyHistory(read: AlarmHistoryRead, known: readonly AlarmRow[]): AlarmChanges {
  const changes: AlarmChanges = { rows: [], events: [] };
  const rows = new Map(known.map((row) => [idOfAlarm(row), row]));
  for (const [id, twins] of uniteTwins(read.seen))
    applyRecord(read, twins, rows.get(id)).finish(changes, read.endedAt);
  return changes;
}

function applyRecord(
  read: AlarmHistoryRead,
  { alarm, count }: Twins,
  known: AlarmRow | undefined,
): AlarmDraft {
  const isActive = readCode(alarm.status);
  if (known === undefined) {
    const first = AlarmDraft.first(
      alarm,
      { is_active: isActive, shown_at: null, filter: null },
      read.endedAt,
    );
    first.set({ twins: count });
    return first;
  }
  const draft = AlarmDraft.of(known, alarm);
  draft.set({ twins: Math.max(known.twins, count) });
  // A poll's value is newer than the value in history, which raised the alarm. So history fills a value only
  // if no poll did.
  draft.takeFacts(alarm, known.value === null || known.shown_at === null ? ['value', 'status'] : ['status']);
  takeAcknowledgement(read, alarm, draft);
  if (isActive === true && known.is_active === null) draft.set({ is_active: true });
  if (isActive === false && known.is_active !== false) confirmCleared(read, draft, known);
  return draft;
}

/**
 * Takes over an acknowledgement. A read may be older than the last poll, so it takes no acknowledgement back.
 */
function takeAcknowledgement(read: AlarmHistoryRead, alarm: SeenAlarm, draft: AlarmDraft): void {
  const code = readCode(alarm.ack_status);
  if (code === true) draft.takeAcknowledgement(alarm, read.endedAt);
  if (code === true || draft.row.is_acknowledged !== null || alarm.ack_status === null) return;
  draft.set({ is_acknowledged: code, ack_status: alarm.ack_status });
}

function confirmCleared({ polled, endedAt }: AlarmHistoryRead, draft: AlarmDraft, known: AlarmRow): void {
  const { missing_since: missingSince, shown_at: after } = known;
  if (missingSince !== null) draft.clear({ after, before: missingSince });
  else if (polled === undefined || !isInScope(polled, known)) draft.clear({ after, before: endedAt });
}
