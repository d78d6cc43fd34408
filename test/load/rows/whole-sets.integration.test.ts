import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRows } from '../../../src/load/rows/load-rows.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { Row } from '../../../src/streams/define.ts';
import { reportStatistics } from '../../support/servers/report-statistics.ts';
import { openLedgerDatabase } from '../test-data.ts';
import { columnOf, none, openTable, streamOf } from '../test-streams.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
});
afterAll(() => close());

const listOf = (name: string) => streamOf(name, { name: 'text', show_name: 'text' });
const childOf = (name: string) => streamOf(name, { owner: 'text', name: 'text' }, { key: ['owner', 'name'] });
const row = (name: string): Row => [name, null, null];
const upTo = (missesAtMost: number) => ({ columns: [], sets: [[]], alsoSeen: [], missing: { missesAtMost } });

test('a live row that a whole list lacks has missed a scan, up to a number, and none when it is back', async () => {
  const table = await openTable(db, listOf('counted'));
  const missed = () => table.read('name, missed_scans as n');
  await table.load(['a', 'b', 'c'].map(row), upTo(2));
  const changedAt = await table.read('name, changed_at');
  expect(await table.load([row('a')], { ...upTo(2), alsoSeen: [['b']] })).toEqual({
    ...none,
    unchanged: 1,
    missing: [[]],
  });
  expect(await missed()).toEqual([
    { name: 'a', n: 0 },
    { name: 'b', n: 0 },
    { name: 'c', n: 1 },
  ]);
  for (const _ of [1, 2]) await table.load([row('a')], upTo(2));
  expect(await missed()).toEqual([
    { name: 'a', n: 0 },
    { name: 'b', n: 2 },
    { name: 'c', n: 2 },
  ]);
  const version = async () =>
    (await db.query("select xmin, xmax, ctid from plant.counted where name = 'c'")).rows[0];
  const before = await version();
  // The set is not settled: nobody may conclude from an equal list that the table holds the list alone.
  expect(await table.load([row('a')], upTo(2))).toMatchObject({ missing: [[]] });
  expect(await version()).toEqual(before);
  expect(await table.load([row('c')])).toEqual({ ...none, unchanged: 1 });
  expect(await missed()).toContainEqual({ name: 'c', n: 0 });
  // Nothing of this is a change.
  expect(await table.takeChanges()).toEqual([]);
  expect(await table.read('name, changed_at')).toEqual(changedAt);
});

test('an empty list that is whole misses every row, and one without sets none', async () => {
  const table = await openTable(db, listOf('emptied'));
  await table.load(['a', 'b'].map(row), upTo(2));
  expect(await table.load([], { ...upTo(2), sets: [] })).toEqual(none);
  expect(await table.read('name, missed_scans as n')).toMatchObject([{ n: 0 }, { n: 0 }]);
  expect(await table.load([], upTo(2))).toEqual({ ...none, missing: [[]] });
  expect(await table.read('name, missed_scans as n')).toMatchObject([{ n: 1 }, { n: 1 }]);
});

test('a scan under a filter misses only rows that a scan under it has shown last; one of the whole list misses any', async () => {
  const whole = await openTable(db, listOf('filtered'));
  const filtered = await openTable(db, listOf('filtered'), { filter: '{"keyword":"a"}' });
  await whole.load(['a', 'b', 'c', 'd'].map(row), upTo(2));
  expect(await filtered.load(['a', 'b'].map(row), upTo(2))).toEqual({ ...none, unchanged: 2 });
  await filtered.load([row('a')], upTo(2));
  await whole.load([row('c')], upTo(2));
  expect(await whole.read('name, missed_scans as n, filter')).toEqual([
    { name: 'a', n: 1, filter: '{"keyword":"a"}' },
    { name: 'b', n: 2, filter: '{"keyword":"a"}' },
    { name: 'c', n: 0, filter: null },
    { name: 'd', n: 1, filter: null },
  ]);
  await whole.load(['a', 'b', 'c', 'd'].map(row));
  expect(await whole.read('filter, name, missed_scans as n')).toMatchObject(
    ['a', 'b', 'c', 'd'].map((name) => ({ filter: null, name, n: 0 })),
  );
  expect(await whole.takeChanges()).toEqual([]);
});

test('of the lists of several owners only those that are whole can miss a row', async () => {
  const table = await openTable(db, childOf('owned'));
  const rows = ['x', 'y', "z'\n"].flatMap((owner) => ['a', 'b'].map((name): Row => [owner, name, null]));
  await table.load(rows);
  const loaded = await table.load([['x', 'a', null]], {
    columns: ['owner'],
    sets: [['x'], ["z'\n"], ['unknown'], ['x']],
    alsoSeen: [
      ["z'\n", 'b'],
      ['y', 'a'],
      ['bad\0key', 'a'],
    ],
    missing: { missesAtMost: 2 },
  });
  expect((await table.read('owner, name, missed_scans as n')).map(({ n }) => n)).toEqual([0, 1, 0, 0, 1, 0]);
  expect(loaded.missing).toEqual([['x'], ["z'\n"]]);
});

const withLabels = streamOf(
  'things',
  { id: 'bigint' },
  {
    parts: [
      {
        name: 'thing_labels',
        about: 'Labels.',
        key: ['thing', 'label'],
        from: 'labels',
        entries: () => [],
        columns: [columnOf('thing', 'bigint', 'parent.id'), columnOf('label'), columnOf('note')],
      },
    ],
  },
);

test('rows of a part that a whole record lacks are deleted at once, noted, and restored when they are back', async () => {
  const labels = await openTable(db, withLabels, { part: 0 });
  const rows: Row[] = [
    [1, 'red', 'x', null],
    [1, 'hot', null, null],
    [2n ** 60n, 'red', null, null],
    [2n ** 60n, 'old', null, null],
    [3, 'red', null, null],
  ];
  const whole = { columns: ['thing'], alsoSeen: [], missing: 'delete' as const };
  await labels.load(rows, { ...whole, sets: [[1], [2n ** 60n], [3]] });
  expect(await labels.load([rows[0], rows[2]] as Row[], { ...whole, sets: [[1], [2n ** 60n]] })).toEqual({
    ...none,
    unchanged: 2,
    deleted: 2,
  });
  const live = () =>
    labels.read('thing, label, deleted_at is null as live, deleted_at = changed_at as at_once');
  expect(await live()).toEqual([
    { thing: 1, label: 'hot', live: false, at_once: true },
    { thing: 1, label: 'red', live: true, at_once: null },
    { thing: 3, label: 'red', live: true, at_once: null },
    { thing: 2n ** 60n, label: 'old', live: false, at_once: true },
    { thing: 2n ** 60n, label: 'red', live: true, at_once: null },
  ]);
  expect(await labels.takeChanges()).toMatchObject([
    { key: { thing: 1, label: 'hot' }, kind: 'deleted', before: { label: 'hot', deleted_at: null } },
    { key: { label: 'old' }, kind: 'deleted' },
  ]);
  // A deleted row is not deleted again.
  expect(
    await labels.load([rows[0], rows[2]] as Row[], { ...whole, sets: [[1], [2n ** 60n]] }),
  ).toMatchObject({ deleted: 0 });
  expect(await labels.load(rows.slice(0, 2), { ...whole, sets: [[1]] })).toEqual({
    ...none,
    unchanged: 1,
    updated: 1,
    restored: 1,
  });
  expect(await labels.takeChanges()).toMatchObject([{ key: { thing: 1, label: 'hot' }, kind: 'restored' }]);
});

test('a row that Postgres cannot hold counts as seen: what is stored of it stays', async () => {
  const labels = await openTable(db, withLabels, { part: 0 });
  const whole = { columns: ['thing'], sets: [[7]], alsoSeen: [], missing: 'delete' as const };
  await labels.load(
    [
      [7, 'a', 'old', null],
      [7, 'b', null, null],
      [7, 'c', null, null],
    ],
    whole,
  );
  const impossible = { long: BigInt(`1${'0'.repeat(140_000)}`) };
  const result = await labels.load(
    [
      [7, 'a', 'new', impossible],
      [7, 'b', null, null],
    ],
    whole,
  );
  expect(result).toMatchObject({ unchanged: 1, deleted: 1, refused: [{ row: [7, 'a', 'new', impossible] }] });
  const { rows } = await db.query(
    'select label, note from plant.thing_labels where thing = 7 and deleted_at is null order by 1',
  );
  expect(rows).toEqual([
    { label: 'a', note: 'old' },
    { label: 'b', note: null },
  ]);
});

test('a batch is compared by the index, however many rows the table has, analyzed, or believed to be of one owner', async () => {
  const table = await openTable(db, childOf('large'));
  // Otherwise the server might analyze the table by itself, now or during the load.
  await db.query('alter table plant.large set (autovacuum_enabled = off)');
  await db.query(
    `insert into plant.large (owner, name) select 'o' || i / 20, 'p' || i % 20 from generate_series(0, 19) as i`,
  );
  // From now on the planner believes that all rows have one owner.
  await db.query('analyze plant.large');
  await db.query(
    `insert into plant.large (owner, name) select 'o' || i / 20, 'p' || i % 20 from generate_series(20, 99999) as i`,
  );
  const owners = Array.from({ length: 100 }, (_, k) => `o${k}`);
  const rows = owners.flatMap((owner) =>
    Array.from({ length: 19 }, (_, k): Row => [owner, `p${k}`, k === 7 ? { k } : null]),
  );
  const whole = {
    columns: ['owner'],
    sets: owners.map((owner) => [owner]),
    alsoSeen: [],
    missing: { missesAtMost: 9 },
  };
  const scans = async () => {
    let counted: unknown;
    // The server may not have reported earlier work of the session yet, and would count it too.
    await reportStatistics(db);
    await loadRows(db, defaultSchemas, [{ target: table.target, rows, whole }], async (tx) => {
      const { rows: found } = await tx.query(
        "select seq_scan as sequential, idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'large'",
      );
      counted = found[0];
    });
    return counted as { sequential: number; fetched: number };
  };
  const misled = await scans();
  await db.query('vacuum analyze plant.large');
  const analyzed = await scans();
  for (const { sequential, fetched } of [misled, analyzed]) {
    expect(sequential).toBe(0);
    expect(fetched).toBeLessThan(20_000);
  }
  const { rows: missed } = await db.query('select count(*) from plant.large where missed_scans = 2');
  expect(missed).toEqual([{ count: 100 }]);
});
