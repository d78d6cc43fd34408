import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureAlarmTables } from '../../../src/load/alarms/alarm-tables.ts';
import { ensureTables } from '../../../src/load/rows/ensure-tables.ts';
import { createPostgresStore } from '../../../src/load/stores/postgres/create-store.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { changeSchema } from '../../../src/postgres/schema-change.ts';
import type { ColumnType, Stream } from '../../../src/streams/define.ts';
import { streams } from '../../../src/streams/index.ts';
import { openLedgerDatabase } from '../test-data.ts';
import { columnOf, openTable, streamOf } from '../test-streams.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
});
afterAll(() => close());

const declared = {
  org: 'text',
  name: 'text',
  order: 'integer',
  at: 'timestamptz',
  d: 'double precision',
} as const;
const tableOf = (name: string, columns: Readonly<Record<string, ColumnType>> = declared): Stream =>
  streamOf(name, columns, { key: ['name', 'org'] });
const ensure = (stream: Stream, keepRaw = false) => ensureTables(db, 'plant', stream, { keepRaw });
const columnsOf = async (table: string) => {
  const { rows } = await db.query(
    `select string_agg(attname, ' ' order by attnum) as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0`,
    [`plant.${table}`],
  );
  return rows[0]?.names;
};

test('many processes at once make the table once, with key and comments', async () => {
  await Promise.all(Array.from({ length: 5 }, () => ensure(tableOf('made'))));
  const { rows } = await db.query(
    `select obj_description('plant.made'::regclass) as about, col_description('plant.made'::regclass, 3) as third,
       pg_get_constraintdef(oid) as key from pg_constraint where conrelid = 'plant.made'::regclass and contype = 'p'`,
  );
  expect(rows).toEqual([
    { about: 'Rows; "all" of them.', third: "It's the order.", key: 'PRIMARY KEY (name, org)' },
  ]);
});

test('a schema that is missing is made', async () => {
  await ensureTables(db, 'Another "one"', tableOf('made'), { keepRaw: false });
  expect((await db.query('select * from "Another ""one""".made')).rows).toEqual([]);
});

test('a column added to the declaration is added to the table, and the rows stay', async () => {
  await (await openTable(db, tableOf('grown'))).load([['o', 'n', 1, 2, 3, null]]);
  const grown = await openTable(db, tableOf('grown', { phone: 'text', ...declared }));
  await grown.load([['+49', 'o', 'n2', 1, 2, 3, null]]);
  expect(await grown.read('name, phone, "order", at')).toEqual([
    { name: 'n', phone: null, order: 1, at: 2 },
    { name: 'n2', phone: '+49', order: 1, at: 2 },
  ]);
});

test('a column of another type is refused, and the table stays as it is', async () => {
  await ensure(tableOf('retyped'));
  await expect(ensure(tableOf('retyped', { ...declared, d: 'bigint', new: 'text' }))).rejects.toThrow(
    'the table retyped cannot be brought up to date: column d is double precision in the database and declared as bigint',
  );
  expect(await columnsOf('retyped')).not.toContain('new');
});

const base = streamOf('base', { name: 'text', show_name: 'text' });
const details = streamOf(
  'base_details',
  { name: 'text', phone: 'text' },
  {
    updates: true,
    parent: { stream: base, path: { name: 'name' } },
    parts: [
      {
        name: 'base_calls',
        about: 'Calls.',
        key: ['base', 'number'],
        from: 'calls',
        entries: () => [],
        columns: [columnOf('base', 'text', 'parent.name'), columnOf('number')],
      },
    ],
  },
);

test('details add their columns to the table of their stream, which they make if it is missing', async () => {
  await ensure(details, true);
  const bookkeeping = 'first_seen_at changed_at deleted_at extra';
  expect(await columnsOf('base')).toBe(
    `name show_name phone ${bookkeeping} missed_scans filter detail_extra detail_raw`,
  );
  expect(await columnsOf('base_calls')).toBe(`base number ${bookkeeping}`);
  await ensure(base, true);
  expect(await columnsOf('base')).toMatch(/ detail_raw raw$/);
  await ensure(details);
  expect(await columnsOf('base')).toMatch(/ detail_raw raw$/);
});

test('the tables of all streams can be made, and made again without a statement', async () => {
  for (const stream of streams) await ensureTables(db, 'all', stream, { keepRaw: false });
  const { rows: made } = await db.query(
    `select max(xmin::text::bigint) as newest from pg_attribute where attrelid in (
       select oid from pg_class where relnamespace = 'all'::regnamespace)`,
  );
  for (const stream of streams) await ensureTables(db, 'all', stream, { keepRaw: false });
  const { rows: again } = await db.query(
    `select max(xmin::text::bigint) as newest from pg_attribute where attrelid in (
       select oid from pg_class where relnamespace = 'all'::regnamespace)`,
  );
  expect(again).toEqual(made);
  const { rows: uncommented } = await db.query(
    `select c.relname, a.attname from pg_class as c join pg_attribute as a on a.attrelid = c.oid
     where c.relnamespace = 'all'::regnamespace and c.relkind = 'r' and a.attnum > 0
       and (col_description(c.oid, a.attnum) is null or obj_description(c.oid, 'pg_class') is null)`,
  );
  expect(uncommented).toEqual([]);
});

test('a table is made again after it was renamed, although an index of the other one has its name', async () => {
  await ensureAlarmTables(db, 'renamed');
  await db.query('alter table renamed.alarms rename to alarms_of_before');
  await db.query('alter table renamed.alarm_events rename to alarm_events_of_before');
  await ensureAlarmTables(db, 'renamed');
  await ensureAlarmTables(db, 'renamed');
  const { rows } = await db.query(
    `select indexname as name from pg_indexes
     where schemaname = 'renamed' and tablename in ('alarms', 'alarm_events') and indexname not like '%pkey%' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['alarm_events_at_2', 'alarms_open_2', 'alarms_started_at_2']);
});

test('tables that are up to date are only looked at, so nobody waits for a change of other tables', async () => {
  const prepare = async () => {
    await ensure(tableOf('looked_at'));
    await ensureAlarmTables(db, 'plant');
    await createPostgresStore({ db, schema: 'plant' }).prepare(['history/300s/mean']);
    return 'prepared';
  };
  await prepare();
  await changeSchema(db, 'changing something', async () => {
    const whileHeld = AbortSignal.timeout(60_000);
    const late = once(whileHeld, 'abort').then(() => 'waited');
    expect(await Promise.race([prepare(), late])).toBe('prepared');
  });
});
