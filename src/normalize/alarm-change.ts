import type { AlarmEvent, AlarmRow, AlarmTransition, SeenAlarm } from '../streams/alarm-row.ts';
import { keyOfAlarm, readCode } from './alarm-twins.ts';

/** A row to write. `extra` is added to the `extra` that the row already has. */
export type ChangedAlarm = AlarmRow & { readonly extra: object | null };

/** The changed rows and the events that one read of alarms leads to. */
export interface AlarmChanges {
  readonly rows: ChangedAlarm[];
  readonly events: AlarmEvent[];
}

/** Members of an alarm that any read may fill in or correct, whatever happened to the alarm meanwhile. */
const plainFacts = ['object_show_name', 'property_show_name', 'description', 'priority'] as const;

/** A row that one read of alarms changes: the row before, the row after, and the events of the change. */
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

  /** Begins the change of an alarm that is in the table. */
  static of(known: AlarmRow, seen?: SeenAlarm): AlarmDraft {
    return new AlarmDraft(known, known, seen);
  }

  /**
   * Begins the row of an alarm that was never seen before. The alarm was raised; it was also acknowledged if
   * it says when.
   */
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

  /** Adds an event: the alarm made this transition at this time. */
  note(transition: AlarmTransition, at: number): void {
    const { priority, value, description, acknowledged_by } = this.#row;
    const username = transition === 'acknowledged' ? acknowledged_by : null;
    this.events.push({ ...keyOfAlarm(this.#row), transition, at, priority, value, description, username });
  }

  /** Takes over the members of an alarm that the read shows. Members that it does not show stay. */
  takeFacts(seen: SeenAlarm, more: readonly ('value' | 'status')[]): void {
    const told = [...plainFacts, ...more].flatMap((name) =>
      seen[name] === null ? [] : [[name, seen[name]]],
    );
    this.set(Object.fromEntries(told) as Partial<AlarmRow>);
  }

  /** Notes that the alarm was acknowledged, or fills in by whom and when. */
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

  /** Notes that the alarm is over. A `cleared` event is added only if the alarm was known as active. */
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

  /** Adds the row, if any of it has changed, and the events. */
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
