import type { Database } from '../../postgres/connect.ts';
import { alarms } from '../../streams/alarms.ts';
import type { Column } from '../../streams/define.ts';
import { ensurePlanned } from '../rows/ensure-tables.ts';
import { type PlannedIndex, type PlannedTable, planTables } from '../rows/plan-tables.ts';

/** The columns of `alarm_events` except `place`, which follows from the events that are there already. */
export const eventColumns: readonly Pick<Column, 'name' | 'type' | 'meaning'>[] = [
  { name: 'object', type: 'text', meaning: 'Alias of the object that the alarm is of.' },
  { name: 'property', type: 'text', meaning: 'Alias of the property that the alarm is of.' },
  { name: 'show_name', type: 'text', meaning: 'Name of the alarm.' },
  { name: 'alarm_type', type: 'text', meaning: 'Type of the alarm.' },
  { name: 'transition', type: 'text', meaning: 'raised, acknowledged, unacknowledged or cleared.' },
  {
    name: 'at',
    type: 'timestamptz',
    meaning: 'When: as the platform states it, else when a look found it.',
  },
  {
    name: 'started_at',
    type: 'timestamptz',
    meaning: 'When the alarm was raised; with object, property, show_name and alarm_type the key of alarms.',
  },
  { name: 'priority', type: 'integer', meaning: 'Priority of the alarm, 1 to 10.' },
  { name: 'value', type: 'text', meaning: 'Latest value of the alarm then, as the platform sends it.' },
  { name: 'description', type: 'text', meaning: 'Description of the alarm.' },
  { name: 'username', type: 'text', meaning: 'Who acknowledged it.' },
];

/** The key of an event: the alarm, what happened, and when. */
export const eventKey = ['object', 'property', 'show_name', 'alarm_type', 'transition', 'at', 'started_at'];

const indexes: readonly PlannedIndex[] = [
  // Every poll reads the open alarms, which are few among all alarms.
  { name: 'alarms_open', on: '(started_at) where is_active is distinct from false' },
  // People look at the history of alarms from its newest end.
  { name: 'alarms_started_at', on: '(started_at)' },
];

const events: PlannedTable = {
  name: 'alarm_events',
  about: 'What alarms did: one row each time that one was raised, acknowledged, unacknowledged or cleared.',
  key: eventKey,
  indexes: [{ name: 'alarm_events_at', on: '(at)' }],
  columns: [
    ...eventColumns,
    {
      name: 'place',
      type: 'integer',
      rest: 'not null',
      meaning: 'Tells apart, from 0, events at one instant whose other tags in InfluxDB are equal.',
    },
  ],
};

/**
 * Makes the tables of alarms and of their events, or brings them up to date. Throws a `StoreError` as
 * `ensureTables` does.
 */
export function ensureAlarmTables(db: Database, schema: string): Promise<void> {
  const own = planTables(alarms, { keepRaw: false }).map((table) => ({ ...table, indexes }));
  return ensurePlanned(db, schema, [...own, events], alarms.name);
}
