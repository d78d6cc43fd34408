import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { changeSchema, hasRelation } from '../../postgres/schema-change.ts';
import { alarms } from '../../streams/alarms.ts';
import type { Column } from '../../streams/define.ts';
import { ensureTable, ensureTables } from '../rows/ensure-tables.ts';
import type { PlannedTable } from '../rows/plan-tables.ts';

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

const events: PlannedTable = {
  name: 'alarm_events',
  about: 'What alarms did: one row each time that one was raised, acknowledged, unacknowledged or cleared.',
  key: eventKey,
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
export async function ensureAlarmTables(db: Database, schema: string): Promise<void> {
  await ensureTables(db, schema, alarms, { keepRaw: false });
  await changeSchema(db, 'making alarm_events', async (tx) => {
    await ensureTable(tx, schema, events);
    await ensureIndexes(tx, schema);
  });
}

/**
 * Makes the indexes that are missing. An index that exists is not created again: only the table's owner may.
 */
async function ensureIndexes(tx: Queryable, schema: string): Promise<void> {
  // Every poll reads the open alarms, which are few among all alarms.
  await ensureIndex(
    tx,
    quoteTable(schema, 'alarms_open'),
    `alarms_open on ${quoteTable(schema, 'alarms')} (started_at) where is_active is distinct from false`,
  );
  // People look at the history of alarms from its newest end.
  await ensureIndex(
    tx,
    quoteTable(schema, 'alarms_started_at'),
    `alarms_started_at on ${quoteTable(schema, 'alarms')} (started_at)`,
  );
  await ensureIndex(
    tx,
    quoteTable(schema, 'alarm_events_at'),
    `alarm_events_at on ${quoteTable(schema, events.name)} (at)`,
  );
}

async function ensureIndex(tx: Queryable, index: string, definition: string): Promise<void> {
  if (!(await hasRelation(tx, index))) await tx.query(`create index ${definition}`);
}
