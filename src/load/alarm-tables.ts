import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import { changeSchema } from '../postgres/schema-change.ts';
import { alarms } from '../streams/alarms.ts';
import type { CopyColumn } from './copy.ts';
import { commentOn } from './point-tables.ts';
import { ensureTables } from './tables.ts';

/** Columns of `alarm_events`, but for `place`, which follows from what is there already. */
export const eventColumns: readonly CopyColumn[] = [
  { name: 'object', type: 'text' },
  { name: 'property', type: 'text' },
  { name: 'show_name', type: 'text' },
  { name: 'alarm_type', type: 'text' },
  { name: 'transition', type: 'text' },
  { name: 'at', type: 'timestamptz' },
  { name: 'started_at', type: 'timestamptz' },
  { name: 'priority', type: 'integer' },
  { name: 'value', type: 'text' },
  { name: 'description', type: 'text' },
  { name: 'username', type: 'text' },
];

/** An event is told from others by the alarm, what happened, and when. */
export const eventKey = ['object', 'property', 'show_name', 'alarm_type', 'transition', 'at', 'started_at'];

/** Makes the tables of alarms and of their events, or brings them up to date. Throws as `ensureTables` does. */
export async function ensureAlarmTables(db: Database, schema: string): Promise<void> {
  await ensureTables(db, schema, alarms, { keepRaw: false });
  await changeSchema(db, 'making alarm_events', async (tx) => {
    // Every poll asks for the open alarms, of which there are few among all that ever were.
    await tx.query(
      `create index if not exists alarms_open on ${quoteTable(schema, 'alarms')} (started_at) where is_active is distinct from false`,
    );
    await ensureEvents(tx, schema);
  });
}

async function ensureEvents(tx: Queryable, schema: string): Promise<void> {
  const table = quoteTable(schema, 'alarm_events');
  const definitions = eventColumns.map(
    ({ name, type }) => `${name} ${type}${eventKey.includes(name) ? ' not null' : ''}`,
  );
  await tx.query(
    `create table if not exists ${table} (${definitions.join(', ')}, place integer not null, primary key (${eventKey.join(', ')}))`,
  );
  await tx.query(`create index if not exists alarm_events_at on ${table} (at)`);
  await commentOn(tx, table, {
    table: 'What alarms did: one row each time that one was raised, acknowledged, unacknowledged or cleared.',
    columns: {
      object: 'Alias of the object that the alarm is of.',
      property: 'Alias of the property that the alarm is of.',
      show_name: 'Name of the alarm.',
      alarm_type: 'Type of the alarm.',
      transition: 'raised, acknowledged, unacknowledged or cleared.',
      at: 'When: as the platform states it, else when a look found it.',
      started_at:
        'When the alarm was raised; with object, property, show_name and alarm_type the key of alarms.',
      priority: 'Priority of the alarm, 1 to 10.',
      value: 'Latest value of the alarm then, as the platform sends it.',
      description: 'Description of the alarm.',
      username: 'Who acknowledged it.',
      place: 'Tells apart, from 0, events at one instant whose other tags in InfluxDB are equal.',
    },
  });
}
