import type { AlarmEvent, AlarmRow, AlarmTransition, SeenAlarm } from '../streams/alarm-row.ts';
import { keyOfAlarm, readCode } from './alarm-twins.ts';

/** A row as it is to be written; `extra` is added to what the row has. */
export type ChangedAlarm = AlarmRow & { readonly extra: object | null };

/** What one look leads to. */
export interface AlarmChanges {
  readonly rows: ChangedAlarm[];
  readonly events: AlarmEvent[];
}

/** Members of an alarm that a look may fill in, or correct, whatever became of the alarm meanwhile. */
const plainFacts = ['object_show_name', 'property_show_name', 'description', 'priority'] as const;

/** A row under change by one look: what it was, what it becomes, and what happened on the way. */
export class AlarmDraft {
  readonly known: AlarmRow | undefined;
  readonly events: AlarmEvent[] = [];
  readonly #seen: SeenAlarm | undefined;
  #row: AlarmRow;

  private constructor(row: AlarmRow, known: AlarmRow | undefined, seen: SeenAlarm | undefined) {
    this.#row = row;
    this.known = known;
    this.#seen = seen;
  }

  /** Of an alarm that is in the table. */
  static of(known: AlarmRow, seen?: SeenAlarm): AlarmDraft {
    return new AlarmDraft(known, known, seen);
  }

  /** Of an alarm that was never seen before: it was raised, and acknowledged if it says when. */
  static first(
    seen: SeenAlarm,
    life: Pick<AlarmRow, 'is_active' | 'shown_at' | 'filter'>,
    at: number,
  ): AlarmDraft {
    const { extra: _, ...facts } = seen;
    const row = {
      ...facts,
      ...life,
      is_acknowledged: readCode(seen.ack_status),
      twins: 0,
      missing_since: null,
      cleared_after: null,
      cleared_before: null,
      missed_scans: 0,
      first_seen_at: at,
      changed_at: at,
    };
    const draft = new AlarmDraft(row, undefined, seen);
    draft.note('raised', seen.started_at);
    if (row.is_acknowledged && seen.acknowledged_at !== null)
      draft.note('acknowledged', seen.acknowledged_at);
    return draft;
  }

  get row(): AlarmRow {
    return this.#row;
  }

  set(changes: Partial<AlarmRow>): void {
    this.#row = { ...this.#row, ...changes };
  }

  /** Keeps what happened, as a point in time. */
  note(transition: AlarmTransition, at: number): void {
    const { priority, value, description, acknowledged_by } = this.#row;
    const username = transition === 'acknowledged' ? acknowledged_by : null;
    this.events.push({ ...keyOfAlarm(this.#row), transition, at, priority, value, description, username });
  }

  /** Takes over what the look tells of these members; what it does not tell stays. */
  takeFacts(seen: SeenAlarm, more: readonly ('value' | 'status')[]): void {
    const told = [...plainFacts, ...more].flatMap((name) =>
      seen[name] === null ? [] : [[name, seen[name]]],
    );
    this.set(Object.fromEntries(told) as Partial<AlarmRow>);
  }

  /** The alarm was acknowledged, or that is known better now. */
  takeAcknowledgement(seen: SeenAlarm, at: number): void {
    const { is_acknowledged: before, acknowledged_at, acknowledged_by } = this.#row;
    this.set({
      is_acknowledged: true,
      ack_status: seen.ack_status,
      acknowledged_at: seen.acknowledged_at ?? acknowledged_at,
      acknowledged_by: seen.acknowledged_by ?? acknowledged_by,
    });
    if (before !== true) this.note('acknowledged', seen.acknowledged_at ?? at);
  }

  /** The alarm is over. Whoever never knew it as active has not seen it clear. */
  clear(bounds: { after: number | null; before: number }): void {
    const wasActive = this.#row.is_active === true;
    this.set({
      is_active: false,
      cleared_after: bounds.after,
      cleared_before: bounds.before,
      missing_since: null,
    });
    if (wasActive) this.note('cleared', bounds.before);
  }

  /** Adds the row, if anything of it has changed, and the events. */
  finish(changes: AlarmChanges, at: number): void {
    const extra = this.#seen?.extra ?? null;
    if (extra !== null || differs(this.known, this.#row))
      changes.rows.push({ ...this.#row, extra, changed_at: at });
    changes.events.push(...this.events);
  }
}

function differs(known: AlarmRow | undefined, row: AlarmRow): boolean {
  if (known === undefined) return true;
  return (Object.keys(row) as (keyof AlarmRow)[]).some((name) => row[name] !== known[name]);
}
