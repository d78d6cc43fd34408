import { type AlarmRow, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { type AlarmChanges, AlarmDraft } from './alarm-change.ts';
import { readCode, type Twins, uniteTwins } from './alarm-twins.ts';

/** Complete polls in a row without an alarm that clear it. */
const MISSES_TO_CLEAR = 2;
/** Fewer open alarms may clear at once, whatever their share. */
const MIN_OPEN_GUARDED = 20;

/** Of processes that look at the same alarms the clocks may differ by so much. */
const CLOCK_TOLERANCE_US = 120e6;

/** Whether something took place after a poll began. What lies far ahead of its end was dated by a wrong clock, and counts as before. */
export function isSince({ beganAt, endedAt }: Pick<AlarmPoll, 'beganAt' | 'endedAt'>, at: number): boolean {
  return at > beganAt && at <= endedAt + CLOCK_TOLERANCE_US;
}

/** Which alarms polls look at. */
export interface PollScope {
  /** The filter of the poll as JSON; null for none. */
  readonly filter: string | null;
  /** The priorities that it asks for; undefined for all. */
  readonly priorities: readonly number[] | undefined;
  readonly hasKeyword: boolean;
}

/** One look at the current alarms. Times are epoch microseconds. */
export interface AlarmPoll {
  readonly seen: readonly SeenAlarm[];
  /** Every entry of the list could be told. */
  readonly complete: boolean;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly scope: PollScope;
  /** When the last complete poll before this one began, for each filter. */
  readonly lastPolls: ReadonlyMap<string | null, number>;
  /** Share of the open alarms above which none clears at once; 1 for no such bound. */
  readonly maxClearShare: number;
}

export interface PollChanges extends AlarmChanges {
  /** Set where too many alarms were missing, so that none was cleared. */
  readonly withheld: { readonly open: number; readonly missing: number } | undefined;
}

/**
 * What a poll of current alarms leads to. `known` holds the rows of the alarms that it shows, as far as there are any, and all that are
 * open. Pure.
 */
export function applyPoll(poll: AlarmPoll, known: readonly AlarmRow[]): PollChanges {
  const changes: AlarmChanges = { rows: [], events: [] };
  const shown = uniteTwins(poll.seen);
  const rows = new Map(known.map((row) => [idOfAlarm(row), row]));
  for (const [id, twins] of shown) applyShown(poll, twins, rows.get(id)).finish(changes, poll.endedAt);
  const open = known.filter((row) => row.is_active !== false && isInScope(poll.scope, row));
  const missing = open.filter((row) => !shown.has(idOfAlarm(row)) && !isSince(poll, row.first_seen_at));
  if (!poll.complete || missing.length === 0) return { ...changes, withheld: undefined };
  const isTooMany = open.length >= MIN_OPEN_GUARDED && missing.length > poll.maxClearShare * open.length;
  for (const row of missing) applyMiss(poll, row, { mayClear: !isTooMany }).finish(changes, poll.endedAt);
  return { ...changes, withheld: isTooMany ? { open: open.length, missing: missing.length } : undefined };
}

/** Whether polls would show the alarm while it is active. A keyword's meaning is the platform's: what it has shown, it will show again. */
export function isInScope({ filter, priorities, hasKeyword }: PollScope, row: AlarmRow): boolean {
  if (filter === null || row.filter === filter) return true;
  return !hasKeyword && row.priority !== null && priorities?.includes(row.priority) === true;
}

function applyShown(poll: AlarmPoll, { alarm, count }: Twins, known: AlarmRow | undefined): AlarmDraft {
  // What stands in this list is active unless it says that it is not.
  const isActive = readCode(alarm.status) !== false;
  const shownAt = isActive ? poll.beganAt : null;
  const { filter } = poll.scope;
  if (known === undefined) {
    const first = AlarmDraft.first(alarm, { is_active: isActive, shown_at: shownAt, filter }, poll.endedAt);
    first.set({ twins: count });
    return first;
  }
  const draft = AlarmDraft.of(known, alarm);
  draft.set({ twins: Math.max(known.twins, count) });
  // Somebody has looked later than this poll did; the next poll will tell.
  if (isSince(poll, known.changed_at)) return draft;
  draft.takeFacts(alarm, ['value', 'status']);
  takeAcknowledgement(poll, alarm, draft);
  if (isActive) keepActive(poll, draft);
  else if (known.is_active !== false)
    draft.clear({ after: lastShown(poll, known), before: known.missing_since ?? poll.endedAt });
  return draft;
}

function keepActive(poll: AlarmPoll, draft: AlarmDraft): void {
  const { is_active: before, missed_scans, shown_at, filter } = draft.row;
  const isUnbroken =
    before === true && missed_scans === 0 && shown_at !== null && filter === poll.scope.filter;
  if (before === false) {
    draft.set({ cleared_after: null, cleared_before: null });
    draft.note('raised', poll.endedAt);
  }
  // Of an unbroken row of complete polls only the first is kept with the alarm: that costs no write.
  if (!isUnbroken || !poll.complete)
    draft.set({
      is_active: true,
      shown_at: poll.beganAt,
      missed_scans: 0,
      missing_since: null,
      filter: poll.scope.filter,
    });
}

function takeAcknowledgement(poll: AlarmPoll, alarm: SeenAlarm, draft: AlarmDraft): void {
  const code = readCode(alarm.ack_status);
  const before = draft.row.is_acknowledged;
  if (code === true) draft.takeAcknowledgement(alarm, poll.endedAt);
  if (code === true || alarm.ack_status === null) return;
  draft.set({ is_acknowledged: code, ack_status: alarm.ack_status });
  if (code !== false || before !== true) return;
  const { acknowledged_at, acknowledged_by } = alarm;
  draft.set({ acknowledged_at, acknowledged_by });
  draft.note('unacknowledged', poll.endedAt);
}

function applyMiss(poll: AlarmPoll, row: AlarmRow, { mayClear }: { mayClear: boolean }): AlarmDraft {
  const draft = AlarmDraft.of(row);
  const misses = Math.min(row.missed_scans + 1, MISSES_TO_CLEAR);
  const missingSince = row.missing_since ?? poll.endedAt;
  draft.set({ missed_scans: misses, missing_since: missingSince });
  if (row.missing_since === null) draft.set({ shown_at: lastShown(poll, row) });
  if (mayClear && misses >= MISSES_TO_CLEAR) draft.clear({ after: draft.row.shown_at, before: missingSince });
  return draft;
}

/** The last poll known to have shown the alarm: had one of those since `shown_at` missed it, the row would say so. */
function lastShown({ lastPolls }: AlarmPoll, { shown_at, missing_since, filter }: AlarmRow): number | null {
  if (shown_at === null || missing_since !== null) return shown_at;
  return Math.max(shown_at, lastPolls.get(filter) ?? shown_at);
}
