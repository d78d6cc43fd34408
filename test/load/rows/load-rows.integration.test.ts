import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRows } from '../../../src/load/rows/load-rows.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { ColumnType, Row } from '../../../src/streams/define.ts';
import { awkwardText, openLedgerDatabase, times } from '../test-data.ts';
import { none, openTable, streamOf } from '../test-streams.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
});
afterAll(() => close());

const persons = streamOf('persons', { name: 'text', show_name: 'text', roles: 'jsonb' });
/**
 * Reads the rows of a table by key, with the transaction that wrote each row and the transaction that locked
 * it, if any.
 */
async function versions(table: string): Promise<Map<unknown, unknown>> {
  const { rows } = await db.query(
    `select name, xmin::text || '/' || xmax::text as version from plant.${table}`,
  );
  return new Map(rows.map((row) => [row.name, row.version]));
}

const types: Readonly<Record<ColumnType, fc.Arbitrary<Row[number]>>> = {
  text: awkwardText,
  bigint: fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  integer: fc.integer(),
  'double precision': fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value)),
  boolean: fc.boolean(),
  timestamptz: times,
  jsonb: fc.oneof(
    fc.array(awkwardText),
    fc.dictionary(awkwardText, fc.oneof(awkwardText, fc.integer(), fc.constant(null), fc.boolean())),
    fc.constantFrom<object[]>([], {}, { value: 0 }, { value: '[1,2]' }, ['hot', 'north,side', 'a"b', '{x}']),
    awkwardText,
  ),
};
const all = streamOf(
  'all_types',
  {
    id: 'bigint',
    txt: 'text',
    t: 'text',
    b: 'bigint',
    i: 'integer',
    d: 'double precision',
    y: 'boolean',
    at: 'timestamptz',
    j: 'jsonb',
  },
  { key: ['id', 'txt'] },
);
const optional = (type: ColumnType) => fc.option(types[type], { nil: null });
const anyRow: fc.Arbitrary<Row> = fc.tuple(
  fc.integer({ min: -2, max: 2 }),
  awkwardText,
  ...all.columns.slice(2).map((column) => optional(column.type)),
  optional('jsonb'),
);

test('rows come back field by field as they were given, the last one of a key', async () => {
  const table = await openTable(db, all);
  const names = table.target.columns.map((column) => column.name);
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async (rows) => {
      await db.query('truncate plant.all_types');
      const expected = new Map(rows.map((row) => [JSON.stringify([row[0], row[1]]), row]));
      expect(await table.load(rows)).toEqual({ ...none, inserted: expected.size });
      expect(await table.load(rows)).toEqual({ ...none, unchanged: expected.size });
      const { rows: found } = await db.query(`select ${names.join(', ')} from plant.all_types`);
      const read = new Map(
        found.map((row) => [JSON.stringify([row.id, row.txt]), names.map((name) => row[name])]),
      );
      const plain = (value: Row[number]) =>
        typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
      expect(read).toEqual(new Map([...expected].map(([key, row]) => [key, row.map(plain)])));
    }),
    { numRuns: 60 },
  );
});

test('only rows that differ are written; the others are not even locked', async () => {
  const table = await openTable(db, persons);
  const rows: Row[] = Array.from({ length: 1000 }, (_, i) => [`p${i}`, 'Ann', ['a', 'b'], null]);
  expect(await table.load(rows)).toEqual({ ...none, inserted: 1000 });
  const before = await versions('persons');
  const changed: Row[] = [
    ...rows.slice(0, 998),
    ['p998', 'Bob', ['a', 'b'], null],
    ['p999', 'Ann', ['b', 'a'], null],
    ['new', null, null, null],
  ];
  expect(await table.load(changed)).toEqual({ ...none, inserted: 1, updated: 2, unchanged: 998 });
  const after = await versions('persons');
  expect(
    [...after]
      .filter(([name, version]) => before.get(name) !== version)
      .map(([name]) => name)
      .sort(),
  ).toEqual(['new', 'p998', 'p999']);
});

test('what was true before an update is noted with the key, a new row is not', async () => {
  const table = await openTable(
    db,
    streamOf('noted', { id: 'bigint', text: 'text' }, { key: ['id', 'text'] }),
  );
  await table.load([[2n ** 60n, `it's "a"\n\\`, null]]);
  expect(await table.takeChanges()).toEqual([]);
  await table.load([[2n ** 60n, `it's "a"\n\\`, { new: 1 }]]);
  const { rows } = await db.query(
    `select key->>'id' as id, key->>'text' as text, kind, before->'extra' as extra,
       (before->>'changed_at')::timestamptz = n.first_seen_at and n.changed_at > n.first_seen_at as timed,
       (select string_agg(name, ' ' order by name) from jsonb_object_keys(before) as a (name)) as members
     from plantsync.changes cross join plant.noted as n where table_name = 'noted'`,
  );
  expect(rows).toEqual([
    {
      id: '1152921504606846976',
      text: `it's "a"\n\\`,
      kind: 'updated',
      extra: null,
      timed: true,
      members: 'changed_at deleted_at extra first_seen_at id text',
    },
  ]);
});

test('a deleted row that comes back is restored, also unchanged, and keeps when it was first seen', async () => {
  const table = await openTable(db, persons);
  await table.load([['back', 'Ann', null, null]]);
  const firstSeen = async () =>
    (await db.query("select first_seen_at from plant.persons where name = 'back'")).rows;
  const before = await firstSeen();
  await db.query("update plant.persons set deleted_at = now() where name = 'back'");
  await table.takeChanges();
  expect(await table.load([['back', 'Ann', null, null]])).toEqual({ ...none, updated: 1, restored: 1 });
  expect(
    (await db.query("select from plant.persons where name = 'back' and deleted_at is null")).rows,
  ).toHaveLength(1);
  expect(await firstSeen()).toEqual(before);
  expect(await table.takeChanges()).toMatchObject([{ key: { name: 'back' }, kind: 'restored' }]);
});

test('of a repeated key the last row counts, even if the first equals what is stored', async () => {
  const table = await openTable(db, persons);
  await table.load([['twice', 'one', null, null]]);
  const result = await table.load([
    ['twice', 'one', null, null],
    ['twice', 'two', null, null],
  ]);
  expect(result).toEqual({ ...none, updated: 1 });
  const { rows } = await db.query("select show_name from plant.persons where name = 'twice'");
  expect(rows).toEqual([{ show_name: 'two' }]);
});

test('a table of nothing but its key loads too', async () => {
  const table = await openTable(db, streamOf('only_key', { name: 'text' }));
  const rows = (odd: number): Row[] => [
    ['a', null],
    ['b', { odd }],
  ];
  expect(await table.load(rows(1))).toMatchObject({ inserted: 2 });
  expect(await table.load(rows(2))).toMatchObject({ updated: 1, unchanged: 1 });
});

test('a column may have any name that a declaration allows', async () => {
  const names = ['t', 'l', 'k', 'total', 'inserted', 'deleted', 'differs', 'order', 'excluded', 'latest'];
  const columns = Object.fromEntries(names.map((name) => [name, 'text' as const]));
  const table = await openTable(db, streamOf('odd_names', { name: 'text', ...columns }));
  const row = (value: string): Row => ['a', ...names.map(() => value), null];
  expect(await table.load([row('one')])).toMatchObject({ inserted: 1 });
  expect(await table.load([row('two')])).toMatchObject({ updated: 1 });
  expect((await table.takeChanges())[0]?.before).toMatchObject({ t: 'one', excluded: 'one', deleted: 'one' });
});

test('loads of the same rows at once, in opposite orders, all succeed, and note each value once', async () => {
  const table = await openTable(db, streamOf('contended', { name: 'text', show_name: 'text' }));
  const rows = (value: string): Row[] => Array.from({ length: 2000 }, (_, i) => [`p${i}`, value, null]);
  const results = await Promise.all(
    ['a', 'b', 'c', 'd'].map((value, n) => table.load(n % 2 === 0 ? rows(value) : rows(value).reverse())),
  );
  expect(results.reduce((sum, result) => sum + result.inserted, 0)).toBe(2000);
  expect(results.reduce((sum, result) => sum + result.updated, 0)).toBe(6000);
  const { rows: found } = await db.query(
    'select count(*) as rows, count(distinct show_name) as values from plant.contended',
  );
  expect(found).toEqual([{ rows: 2000, values: 1 }]);
  // Every value except the last was stored for a while. Each is noted exactly once.
  const { rows: noted } = await db.query(
    `select count(*) as notes, count(distinct before->>'show_name') as values from plantsync.changes
     where table_name = 'contended' group by key having count(*) <> 3 or count(distinct before->>'show_name') <> 3`,
  );
  expect(noted).toEqual([]);
});

test('raw records are kept, and a difference in them alone is written without being a change', async () => {
  const stream = streamOf('with_raw', { name: 'text', show_name: 'text' });
  await (await openTable(db, stream)).load([['a', 'Ann', null]]);
  const table = await openTable(db, stream, { keepRaw: true });
  const changedAt = await table.read('changed_at, name');
  expect(await table.load([['a', 'Ann', null, { a: 1 }]])).toEqual({ ...none, unchanged: 1 });
  expect(await table.read('name, raw')).toEqual([{ name: 'a', raw: { a: 1 } }]);
  expect(await table.read('changed_at, name')).toEqual(changedAt);
  expect(await table.takeChanges()).toEqual([]);
  await table.load([['a', 'Bob', null, { a: 2 }]]);
  const [change] = await table.takeChanges();
  expect(change?.before).toMatchObject({ show_name: 'Ann' });
  expect(change?.before).not.toHaveProperty('raw');
});

test('details fill the columns of rows that are there, and make none', async () => {
  const base = streamOf('base', { name: 'text', show_name: 'text' });
  const list = await openTable(db, base, { filter: '{"a":1}' });
  await list.load([
    ['a', 'Ann', null],
    ['b', 'Bob', null],
  ]);
  await db.query("update plant.base set missed_scans = 1, deleted_at = case when name = 'b' then now() end");
  const details = await openTable(
    db,
    streamOf(
      'base_details',
      { name: 'text', phone: 'text' },
      { updates: true, parent: { stream: base, path: { name: 'name' } } },
    ),
  );
  const rows: Row[] = [
    ['a', '+1', { new: true }],
    ['b', '+2', null],
    ['c', '+3', null],
  ];
  expect(await details.load(rows)).toEqual({ ...none, updated: 2 });
  expect(await details.load(rows)).toEqual({ ...none, unchanged: 2 });
  expect(
    await details.read(
      'name, show_name, phone, detail_extra, missed_scans, filter, deleted_at is null as live',
    ),
  ).toEqual([
    {
      name: 'a',
      show_name: 'Ann',
      phone: '+1',
      detail_extra: { new: true },
      missed_scans: 1,
      filter: '{"a":1}',
      live: true,
    },
    {
      name: 'b',
      show_name: 'Bob',
      phone: '+2',
      detail_extra: null,
      missed_scans: 1,
      filter: '{"a":1}',
      live: false,
    },
  ]);
  // A value that is learnt for the first time is no change.
  expect(await details.takeChanges()).toEqual([]);
  await details.load([['a', '+4', { new: true }]]);
  expect(await details.takeChanges()).toMatchObject([
    { key: { name: 'a' }, kind: 'updated', before: { phone: '+1' } },
  ]);
  // The list does not compare the columns that the details filled.
  expect(await list.load([['a', 'Ann', null]])).toEqual({ ...none, unchanged: 1 });
});

test('what commits with the rows goes with them, and the batches of one call with each other', async () => {
  const table = await openTable(db, persons);
  const other = await openTable(db, streamOf('others', { name: 'text' }));
  const batches = [
    { target: table.target, rows: [['not there', null, null, null]] },
    { target: other.target, rows: [['not there', null]] },
  ];
  const failing = loadRows(db, defaultSchemas, batches, async () => {
    throw new Error('the ledger refused');
  });
  await expect(failing).rejects.toThrow('the ledger refused');
  expect((await db.query("select from plant.persons where name = 'not there'")).rows).toEqual([]);
  const results = await loadRows(db, defaultSchemas, batches, async (tx) => {
    expect((await tx.query("select from plant.others where name = 'not there'")).rows).toHaveLength(1);
  });
  expect(results).toEqual([
    { ...none, inserted: 1 },
    { ...none, inserted: 1 },
  ]);
});

test('rows go straight to a table that began empty, with the filter of their scan', async () => {
  const stages = async () => (await db.query("select from pg_class where relname like 'incoming%'")).rowCount;
  const stream = streamOf('copied', { name: 'text', seen: 'timestamptz' });
  const { target, ...table } = await openTable(db, stream, { filter: '{"keyword":"a"}' });
  const before = await stages();
  const rows: Row[] = [
    ['a', 0, null],
    ['b', null, { more: 1 }],
  ];
  const batch = { target, beganEmpty: true, rows };
  expect(await loadRows(db, defaultSchemas, [batch])).toEqual([{ ...none, inserted: 2 }]);
  expect(await stages()).toBe(before);
  expect(await table.read('name, seen, extra, filter, missed_scans as misses, deleted_at')).toEqual([
    { name: 'a', seen: 0, extra: null, filter: '{"keyword":"a"}', misses: 0, deleted_at: null },
    { name: 'b', seen: null, extra: { more: 1 }, filter: '{"keyword":"a"}', misses: 0, deleted_at: null },
  ]);
  // The table holds rows by now, so all rows are merged.
  const again = { ...batch, rows: [['c', 1, null] as Row, ...rows, ['c', 2, null] as Row] };
  expect(await loadRows(db, defaultSchemas, [again])).toEqual([{ ...none, inserted: 1, unchanged: 2 }]);
  expect(await table.read('name, seen')).toContainEqual({ name: 'c', seen: 2 });
  expect(await table.takeChanges()).toEqual([]);
});

/** jsonb takes numbers of up to 131,072 digits before the point. */
const impossible = { long: BigInt(`1${'0'.repeat(140_000)}`) };

test.each([
  ['that began empty', true],
  ['with rows', false],
])('rows that Postgres cannot hold do not keep the others out of a table %s', async (_, beganEmpty) => {
  const table = await openTable(db, streamOf(`refusing_${beganEmpty}`, { name: 'text', show_name: 'text' }));
  const other = await openTable(db, streamOf(`beside_${beganEmpty}`, { name: 'text' }));
  const rows = Array.from({ length: 40 }, (_, k): Row => [`held ${k}`, 'Ann', null]);
  const bad: Row[] = [
    ['impossible', 'Ann', impossible],
    // The text is longer than an entry of an index can be, and cannot be compressed.
    [
      Array.from({ length: 4000 }, (_, k) => String.fromCodePoint(0x4e00 + ((k * 7919) % 20000))).join(''),
      'Ann',
      null,
    ],
  ];
  const results = await loadRows(db, defaultSchemas, [
    {
      target: table.target,
      beganEmpty,
      rows: [...rows.slice(0, 17), bad[0] as Row, ...rows.slice(17), bad[1] as Row],
    },
    { target: other.target, rows: [['kept', null]] },
  ]);
  expect(results).toEqual([
    {
      ...none,
      inserted: 40,
      refused: [
        { row: bad[0], reason: expect.stringMatching(/numeric/) },
        { row: bad[1], reason: expect.stringMatching(/index row/) },
      ],
    },
    { ...none, inserted: 1 },
  ]);
});

test('of a repeated key the last row counts also where another row of the batch is refused', async () => {
  const table = await openTable(db, persons);
  const result = await table.load([
    ['again', 'one', null, null],
    ['refused', null, null, impossible],
    ['again', 'two', null, null],
  ]);
  expect(result).toMatchObject({
    inserted: 1,
    updated: 0,
    refused: [{ row: ['refused', null, null, impossible] }],
  });
  expect((await table.takeChanges()).filter(({ key }) => (key as { name: string }).name === 'again')).toEqual(
    [],
  );
});

test('an error of the commit that looks like one of the data is no fault of the rows', async () => {
  const table = await openTable(db, persons);
  const failing = loadRows(
    db,
    defaultSchemas,
    [{ target: table.target, rows: [['fine', null, null, null]] }],
    async (tx) => {
      await tx.query("select 'x'::int");
    },
  );
  await expect(failing).rejects.toThrow(
    'loading persons: PostgreSQL answers: invalid input syntax for type integer',
  );
  expect((await db.query("select from plant.persons where name = 'fine'")).rows).toEqual([]);
});
