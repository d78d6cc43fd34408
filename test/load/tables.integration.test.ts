import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRowLoader } from '../../src/load/merge.ts';
import { ensureTable } from '../../src/load/tables.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { type Column, defineStream, type Stream } from '../../src/streams/define.ts';
import { openTestDatabase } from './test-data.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const column = (name: string, type: Column['type'] = 'text'): Column => ({
  name,
  type,
  source: name,
  meaning: `It's the ${name}.`,
});
const streamOf = (name: string, columns: Column[]): Stream =>
  defineStream({
    name,
    about: 'People; "all" of them.',
    operation: 'listPersons',
    key: ['name', 'org'],
    columns,
  });
const declared = [
  column('org'),
  column('name'),
  column('order', 'integer'),
  column('at', 'timestamptz'),
  column('d', 'double precision'),
];

test('many processes at once make the table once, with key and comments', async () => {
  const stream = streamOf('made', declared);
  await Promise.all(Array.from({ length: 5 }, () => ensureTable(db, 'plant', stream)));
  const { rows } = await db.query(
    `select obj_description('plant.made'::regclass) as about, col_description('plant.made'::regclass, 3) as third,
       pg_get_constraintdef(oid) as key from pg_constraint where conrelid = 'plant.made'::regclass and contype = 'p'`,
  );
  expect(rows).toEqual([
    { about: 'People; "all" of them.', third: "It's the order.", key: 'PRIMARY KEY (name, org)' },
  ]);
});

test('a schema that is missing is made', async () => {
  await ensureTable(db, 'Another "one"', streamOf('made', declared));
  expect((await db.query('select * from "Another ""one""".made')).rows).toEqual([]);
});

test('a column added to the declaration is added to the table, and the rows stay', async () => {
  const load = async (stream: Stream, row: (string | number | null)[]) => {
    await ensureTable(db, 'plant', stream);
    await createRowLoader(db, { schema: 'plant', stream }).load([row]);
  };
  await load(streamOf('grown', declared), ['o', 'n', 1, 2, 3, null]);
  await load(streamOf('grown', [column('phone'), ...declared]), ['+49', 'o', 'n2', 1, 2, 3, null]);
  const { rows } = await db.query('select name, phone, "order", at from plant.grown order by name');
  expect(rows).toEqual([
    { name: 'n', phone: null, order: 1, at: 2 },
    { name: 'n2', phone: '+49', order: 1, at: 2 },
  ]);
});

test('a column of another type is refused, and the table stays as it is', async () => {
  await ensureTable(db, 'plant', streamOf('retyped', declared));
  const changed = declared.map((one) => (one.name === 'd' ? column('d', 'bigint') : one));
  await expect(ensureTable(db, 'plant', streamOf('retyped', [...changed, column('new')]))).rejects.toThrow(
    'the table of retyped cannot be brought up to date: column d is double precision in the database and declared as bigint',
  );
  await expect(db.query('select "new" from plant.retyped')).rejects.toThrow('does not exist');
});
