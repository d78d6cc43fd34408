import { type AlarmRow, idOfAlarm, type SeenAlarm } from '../streams/alarm-row.ts';
import { type AlarmChanges, AlarmDraft } from './alarm-change.ts';
import { readCode, type Twins, uniteTwins } from './alarm-twins.ts';

/** An alarm clears after this many complete polls in a row that did not show it. */
const MISSES_TO_CLEAR = 2;
/** With fewer open alarms than this, any share of them may clear at once. */
const MIN_OPEN_GUARDED = 20;

/** Clocks of processes that look at the same alarms may differ by this much. */
const CLOCK_TOLERANCE_US = 120e6;

/**
 * Returns true if an instant lies after the beginning of a poll. An instant far ahead of the poll's end comes
 * from a wrong clock, and counts as before.
 */
function isSince({ beganAt, endedAt }: Pick<AlarmPoll, 'beganAt' | 'endedAt'>, at: number): boolean {
  return at > beganAt && at <= endedAt + CLOCK_TOLERANCE_US;
}

/** The alarms that polls look at. */
export interface PollScope {
  /** The filter of the poll as JSON. Null for no filter. */
  readonly filter: string | null;
  /** The priorities that the poll asks for. Undefined for all. */
  readonly priorities: readonly number[] | undefined;
  readonly hasKeyword: boolean;
}

/** One poll of the current alarms. Times are epoch microseconds. */
export interface AlarmPoll {
  readonly seen: readonly SeenAlarm[];
  /** True if every entry of the list could be read. */
  readonly complete: boolean;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly scope: PollScope;
  /** When the last complete poll before this one began, for each filter. */
  readonly lastPolls: ReadonlyMap<string | null, number>;
  /** If more than this share of the open alarms is missing, none clears at once. 1 for no such bound. */
  readonly maxClearShare: number;
}

export interface PollChanges extends AlarmChanges {
  /** Set if too many alarms were missing, so that none was cleared. */
  readonly withheld: { readonly open: number; readonly missing: number } | undefined;
}

/**
 * Returns the changes that a poll of current alarms leads to. `known` holds the known rows of the alarms in
 * the poll, and all rows of open alarms. Pure.
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

/**
 * Returns true if polls would show the alarm while it is active. Only the platform knows what a keyword
 * matches, but it will show again what it once showed.
 */
export function isInScope({ filter, priorities, hasKeyword }: PollScope, row: AlarmRow): boolean {
  if (filter === null || row.filter === filter) return true;
  return !hasKeyword && row.priority !== null && priorities?.includes(row.priority) === true;
}

function applyShown(poll: AlarmPoll, { alarm, count }: Twins, known: AlarmRow | undefined): AlarmDraft {
  // An alarm in this list is active unless its status says otherwise.
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
  // The row was changed after this poll began, so the next poll decides.
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
  // Only the first poll of an unbroken row of complete polls is kept with the alarm. The others cost no
  // write.
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

/**
 * Returns the time of the last poll known to have shown the alarm. If a complete poll after `shown_at` had
 * missed the alarm, the row would say so.
 */
function lastShown({ lastPolls }: AlarmPoll, { shown_at, missing_since, filter }: AlarmRow): number | null {
  if (shown_at === null || missing_since !== null) return shown_at;
  return Math.max(shown_at, lastPolls.get(filter) ?? shown_at);
}
