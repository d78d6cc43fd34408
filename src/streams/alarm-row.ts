/** Alarms as rows and events: names are those of the columns, times are epoch microseconds. */

/** What tells one alarm from another. */
export interface AlarmKey {
  readonly object: string;
  readonly property: string;
  readonly show_name: string;
  readonly alarm_type: string;
  readonly started_at: number;
}

/** What the platform says of an alarm beside its key. */
export interface AlarmFacts {
  readonly object_show_name: string | null;
  readonly property_show_name: string | null;
  readonly description: string | null;
  readonly priority: number | null;
  readonly value: string | null;
  readonly status: string | null;
  readonly ack_status: string | null;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
}

/** What follows from all looks at an alarm. */
export interface AlarmLife {
  readonly twins: number;
  readonly is_active: boolean | null;
  readonly is_acknowledged: boolean | null;
  readonly shown_at: number | null;
  readonly missing_since: number | null;
  readonly cleared_after: number | null;
  readonly cleared_before: number | null;
  /** Complete polls in a row that did not show it. */
  readonly missed_scans: number;
  /** The filter of the last poll that showed it, as JSON; null for none. */
  readonly filter: string | null;
  readonly first_seen_at: number;
  readonly changed_at: number;
}

/** A row of the table, without `extra`, which is merged where the rows are. */
export type AlarmRow = AlarmKey & AlarmFacts & AlarmLife;

/** One alarm as one look showed it; `extra` holds what no column can. */
export type SeenAlarm = AlarmKey & AlarmFacts & { readonly extra: object | null };

/** What an alarm can do. One that is raised or left unacknowledged once more, though it started once, does it again. */
export type AlarmTransition = 'raised' | 'acknowledged' | 'unacknowledged' | 'cleared';

/** A transition of one alarm: a point of `alarm_events`. */
export interface AlarmEvent extends AlarmKey {
  readonly transition: AlarmTransition;
  readonly at: number;
  readonly priority: number | null;
  readonly value: string | null;
  readonly description: string | null;
  /** Who acknowledged it. */
  readonly username: string | null;
}

/** An event that is in the table: of several at one instant that no tag tells apart, `place` does, from 0. */
export type PlacedAlarmEvent = AlarmEvent & { readonly place: number };

/** A text of its own for each key. */
export function idOfAlarm({ object, property, show_name, alarm_type, started_at }: AlarmKey): string {
  return JSON.stringify([object, property, show_name, alarm_type, started_at]);
}
