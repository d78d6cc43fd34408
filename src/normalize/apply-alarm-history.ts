import { type AlarmRow, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { type AlarmChanges, AlarmDraft } from './alarm-change.ts';
import { readCode, type Twins, uniteTwins } from './alarm-twins.ts';
import { isInScope, type PollScope } from './apply-alarm-poll.ts';

/** Alarms as the history of a stretch of time tells them. */
export interface AlarmHistoryRead {
  readonly seen: readonly SeenAlarm[];
  /** When the reading was done, epoch microseconds. */
  readonly endedAt: number;
  /** What polls look at; undefined where there are none. */
  readonly polled: PollScope | undefined;
}

/**
 * What a read of history leads to. History fills and corrects, but tells no time at which an alarm cleared: where polls look, it only
 * confirms what they have found missing, and it brings no alarm back. `known` holds the rows of the alarms that it shows. Pure.
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
  // A poll's value is the latest; history has the one that raised the alarm, or it is no news.
  draft.takeFacts(alarm, known.value === null || known.shown_at === null ? ['value', 'status'] : ['status']);
  takeAcknowledgement(read, alarm, draft);
  if (isActive === true && known.is_active === null) draft.set({ is_active: true });
  if (isActive === false && known.is_active !== false) confirmCleared(read, draft, known);
  return draft;
}

/** A read may be older than what a poll has told since: it acknowledges, and takes no acknowledgement back. */
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
