/** Alarms as rows and events. Names are those of the columns; times are epoch microseconds. */

/** The members that tell one alarm from another. */
export interface AlarmKey {
  readonly object: string;
  readonly property: string;
  readonly show_name: string;
  readonly alarm_type: string;
  readonly started_at: number;
}

/** The members that the platform sends of an alarm besides its key. */
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

/** The state of an alarm, which follows from all polls and all reads of history. */
export interface AlarmLife {
  readonly twins: number;
  readonly is_active: boolean | null;
  readonly is_acknowledged: boolean | null;
  readonly shown_at: number | null;
  readonly missing_since: number | null;
  readonly cleared_after: number | null;
  readonly cleared_before: number | null;
  /** Number of complete polls in a row that did not show the alarm. */
  readonly missed_scans: number;
  /** The filter of the last poll that showed the alarm, as JSON. Null for no filter. */
  readonly filter: string | null;
  readonly first_seen_at: number;
  readonly changed_at: number;
}

/** A row of the table. It has no `extra`, which is merged when the row is written. */
export type AlarmRow = AlarmKey & AlarmFacts & AlarmLife;

/** One alarm as one poll or read of history showed it. `extra` holds the values that no column can. */
export type SeenAlarm = AlarmKey & AlarmFacts & { readonly extra: object | null };

/**
 * What can happen to an alarm. An alarm may be raised or unacknowledged again, although it has started only
 * once.
 */
export type AlarmTransition = 'raised' | 'acknowledged' | 'unacknowledged' | 'cleared';

/** A transition of one alarm, which is a point of `alarm_events`. */
export interface AlarmEvent extends AlarmKey {
  readonly transition: AlarmTransition;
  readonly at: number;
  readonly priority: number | null;
  readonly value: string | null;
  readonly description: string | null;
  /** User who acknowledged the alarm. */
  readonly username: string | null;
}

/**
 * An event that is in the table. `place` counts, from 0, the events at one instant that no tag tells apart.
 */
export type PlacedAlarmEvent = AlarmEvent & { readonly place: number };

/** Returns a text that is different for each key. */
export function idOfAlarm({ object, property, show_name, alarm_type, started_at }: AlarmKey): string {
  return JSON.stringify([object, property, show_name, alarm_type, started_at]);
}
