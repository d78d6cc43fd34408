import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRowLoader } from '../../src/load/merge.ts';
import { ensureTable } from '../../src/load/tables.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { type ColumnType, defineStream, type Row, type Stream } from '../../src/streams/define.ts';
import { awkwardText, openTestDatabase, times } from './test-data.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

function streamOf(
  name: string,
  key: readonly string[],
  columns: Readonly<Record<string, ColumnType>>,
): Stream {
  return defineStream({
    name,
    about: 'Rows of a test.',
    operation: 'listPersons',
    key,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      type,
      source: column,
      meaning: 'A column.',
    })),
  });
}

async function loaderOf(stream: Stream) {
  await ensureTable(db, 'plant', stream);
  return createRowLoader(db, { schema: 'plant', stream });
}

const persons = streamOf('persons', ['name'], { name: 'text', show_name: 'text', roles: 'jsonb' });
/** The rows of a table by key, with the transaction that wrote each and, if any, that locked it. */
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
const all = streamOf('all_types', ['id', 'txt'], {
  id: 'bigint',
  txt: 'text',
  t: 'text',
  b: 'bigint',
  i: 'integer',
  d: 'double precision',
  y: 'boolean',
  at: 'timestamptz',
  j: 'jsonb',
});
const optional = (type: ColumnType) => fc.option(types[type], { nil: null });
const anyRow: fc.Arbitrary<Row> = fc.tuple(
  fc.integer({ min: -2, max: 2 }),
  awkwardText,
  ...all.columns.slice(2).map((column) => optional(column.type)),
  optional('jsonb'),
);

test('rows come back field by field as they were given, the last one of a key', async () => {
  const loader = await loaderOf(all);
  const names = [...all.columns.map((column) => column.name), 'extra'];
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async (rows) => {
      await db.query('truncate plant.all_types');
      const expected = new Map(rows.map((row) => [JSON.stringify([row[0], row[1]]), row]));
      const result = await loader.load(rows);
      expect(result).toEqual({ inserted: expected.size, updated: 0, unchanged: 0, restored: 0, refused: [] });
      expect(await loader.load(rows)).toEqual({
        inserted: 0,
        updated: 0,
        unchanged: expected.size,
        restored: 0,
        refused: [],
      });
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
  const loader = await loaderOf(persons);
  const rows: Row[] = Array.from({ length: 1000 }, (_, i) => [`p${i}`, 'Ann', ['a', 'b'], null]);
  expect(await loader.load(rows)).toEqual({
    inserted: 1000,
    updated: 0,
    unchanged: 0,
    restored: 0,
    refused: [],
  });
  const before = await versions('persons');
  const changed: Row[] = [
    ...rows.slice(0, 998),
    ['p998', 'Bob', ['a', 'b'], null],
    ['p999', 'Ann', ['b', 'a'], null],
    ['new', null, null, null],
  ];
  expect(await loader.load(changed)).toEqual({
    inserted: 1,
    updated: 2,
    unchanged: 998,
    restored: 0,
    refused: [],
  });
  const after = await versions('persons');
  expect(
    [...after]
      .filter(([name, version]) => before.get(name) !== version)
      .map(([name]) => name)
      .sort(),
  ).toEqual(['new', 'p998', 'p999']);
});

test('a deleted row that comes back is restored, also unchanged, and keeps when it was first seen', async () => {
  const loader = await loaderOf(persons);
  await loader.load([['back', 'Ann', null, null]]);
  const firstSeen = async () =>
    (await db.query("select first_seen_at from plant.persons where name = 'back'")).rows;
  const before = await firstSeen();
  await db.query("update plant.persons set deleted_at = now() where name = 'back'");
  expect(await loader.load([['back', 'Ann', null, null]])).toEqual({
    inserted: 0,
    updated: 1,
    unchanged: 0,
    restored: 1,
    refused: [],
  });
  expect(
    (await db.query("select from plant.persons where name = 'back' and deleted_at is null")).rows,
  ).toHaveLength(1);
  expect(await firstSeen()).toEqual(before);
});

test('of a repeated key the last row counts, even if the first equals what is stored', async () => {
  const loader = await loaderOf(persons);
  await loader.load([['twice', 'one', null, null]]);
  const result = await loader.load([
    ['twice', 'one', null, null],
    ['twice', 'two', null, null],
  ]);
  expect(result).toEqual({ inserted: 0, updated: 1, unchanged: 0, restored: 0, refused: [] });
  const { rows } = await db.query("select show_name from plant.persons where name = 'twice'");
  expect(rows).toEqual([{ show_name: 'two' }]);
});

test('a table of nothing but its key loads too', async () => {
  const loader = await loaderOf(streamOf('only_key', ['name'], { name: 'text' }));
  expect(
    await loader.load([
      ['a', null],
      ['b', { odd: 1 }],
    ]),
  ).toMatchObject({ inserted: 2 });
  expect(
    await loader.load([
      ['a', null],
      ['b', { odd: 2 }],
    ]),
  ).toMatchObject({ updated: 1, unchanged: 1 });
});

test('a column may have any name that a declaration allows', async () => {
  const names = ['t', 'l', 'k', 'total', 'inserted', 'deleted', 'differs', 'order', 'excluded', 'latest'];
  const loader = await loaderOf(
    streamOf('odd_names', ['name'], {
      name: 'text',
      ...Object.fromEntries(names.map((name) => [name, 'text' as const])),
    }),
  );
  const row = (value: string): Row => ['a', ...names.map(() => value), null];
  expect(await loader.load([row('one')])).toMatchObject({ inserted: 1 });
  expect(await loader.load([row('two')])).toMatchObject({ updated: 1 });
});

test('loads of the same rows at once, in opposite orders, all succeed', async () => {
  const stream = streamOf('contended', ['name'], { name: 'text', show_name: 'text' });
  const loader = await loaderOf(stream);
  const rows = (value: string): Row[] => Array.from({ length: 2000 }, (_, i) => [`p${i}`, value, null]);
  const results = await Promise.all(
    ['a', 'b', 'c', 'd'].map((value, n) => loader.load(n % 2 === 0 ? rows(value) : rows(value).reverse())),
  );
  expect(results.reduce((sum, result) => sum + result.inserted, 0)).toBe(2000);
  const { rows: found } = await db.query(
    'select count(*) as rows, count(distinct show_name) as values from plant.contended',
  );
  expect(found).toEqual([{ rows: 2000, values: 1 }]);
});

test('what commits with the rows goes with them', async () => {
  const loader = await loaderOf(persons);
  const failing = loader.load([['not there', null, null, null]], async () => {
    throw new Error('the ledger refused');
  });
  await expect(failing).rejects.toThrow('the ledger refused');
  expect((await db.query("select from plant.persons where name = 'not there'")).rows).toEqual([]);
});

test('a row that Postgres cannot hold does not keep the others out', async () => {
  const loader = await loaderOf(persons);
  const rows = Array.from({ length: 40 }, (_, k): Row => [`held ${k}`, 'Ann', null, null]);
  const impossible: Row = ['impossible', 'Ann', null, { long: BigInt(`1${'0'.repeat(140_000)}`) }];
  const { inserted, refused } = await loader.load([...rows.slice(0, 17), impossible, ...rows.slice(17)]);
  expect(inserted).toBe(40);
  expect(refused).toEqual([{ row: impossible, reason: expect.stringMatching(/numeric/) }]);
});
