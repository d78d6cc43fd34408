import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteOrphans,
  deletePartsOfDeleted,
  deleteRows,
  markPresent,
} from '../../../src/load/rows/delete-rows.ts';
import { ensureTables } from '../../../src/load/rows/ensure-tables.ts';
import { loadRows } from '../../../src/load/rows/load-rows.ts';
import { markVanishedSeries } from '../../../src/load/rows/mark-vanished-series.ts';
import { countRows, readDueKeys } from '../../../src/load/rows/missing-rows.ts';
import { readParents } from '../../../src/load/rows/read-parents.ts';
import { targetsOf } from '../../../src/load/rows/row-targets.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { Part, Row, Stream } from '../../../src/streams/define.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { openLedgerDatabase } from '../test-data.ts';
import { columnOf, openTable, streamOf } from '../test-streams.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
});
afterAll(() => close());

const partOf = (name: string, more: Partial<Part> = {}): Part => ({
  name,
  about: 'Entries.',
  key: ['thing', 'entry'],
  from: 'entries',
  entries: () => [],
  columns: [columnOf('thing', 'text', 'parent.name'), columnOf('entry')],
  ...more,
});
const things = streamOf(
  'things',
  { name: 'text', show_name: 'text' },
  {
    parts: [
      partOf('thing_labels'),
      partOf('roles', { key: ['entry'], shared: true, columns: [columnOf('entry')] }),
    ],
  },
);
const details = streamOf(
  'thing_details',
  { name: 'text', phone: 'text' },
  { updates: true, parent: { stream: things, path: { name: 'name' } }, parts: [partOf('thing_events')] },
);
const neverRead = streamOf(
  'thing_more',
  { name: 'text' },
  { updates: true, parent: { stream: things, path: { name: 'name' } }, parts: [partOf('thing_secrets')] },
);
const screws = streamOf(
  'screws',
  { thing: 'text', name: 'text' },
  {
    key: ['thing', 'name'],
    columns: [columnOf('thing', 'text', 'parent.name'), columnOf('name')],
    parent: { stream: things, path: { name: 'name' } },
    parts: [
      partOf('screw_labels', {
        key: ['thing', 'screw', 'entry'],
        columns: [
          columnOf('thing', 'text', 'parent.thing'),
          columnOf('screw', 'text', 'parent.name'),
          columnOf('entry'),
        ],
      }),
    ],
  },
);
const streams = [things, details, neverRead, screws];

async function fill(
  stream: Stream,
  rows: readonly Row[],
  parts: readonly (readonly Row[])[] = [],
): Promise<void> {
  await ensureTables(db, 'plant', stream, { keepRaw: false });
  const targets = targetsOf(stream, { keepRaw: false, filter: null });
  await loadRows(db, defaultSchemas, [
    { target: targets.main, rows },
    ...parts.map((rows, k) => ({ target: targets.parts[k] as (typeof targets.parts)[number], rows })),
  ]);
}
const deletedOf = async (table: string, columns: string) =>
  (await db.query(`select ${columns} from plant.${table} where deleted_at is not null order by 1, 2`)).rows;
const takeChanges = async () =>
  (
    await db.query(
      `with taken as (delete from plantsync.changes returning *)
       select table_name, kind, count(*) from taken group by 1, 2 order by 1, 2`,
    )
  ).rows;

const odd = `it's "odd"\n\\ ${'ö'.repeat(1250)}`;

test('rows are counted, and read when due, under the filter that showed them last', async () => {
  const table = await openTable(db, streamOf('counted', { name: 'text' }));
  await table.load(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, null]));
  await db.query(
    `update plant.counted set missed_scans = case name when 'b' then 1 when 'c' then 2 when 'd' then 3 else 0 end,
       filter = case when name = 'e' then '{"a":1}' end, deleted_at = case when name = 'd' then now() end`,
  );
  const stream = streamOf('counted', { name: 'text' });
  const due = (filter: string | null, misses = 2) => ({ filter, misses });
  expect(await countRows(db, 'plant', stream, due(null))).toEqual({ live: 5, listed: 3, missing: 2, due: 1 });
  expect(await countRows(db, 'plant', stream, due('{"a":1}'))).toEqual({
    live: 1,
    listed: 1,
    missing: 0,
    due: 0,
  });
  expect(await readDueKeys(db, 'plant', stream, due(null))).toEqual([{ name: 'c' }]);
  expect(await readDueKeys(db, 'plant', stream, due(null, 1))).toEqual([{ name: 'b' }, { name: 'c' }]);
  expect(await readDueKeys(db, 'plant', stream, due('{"b":1}'))).toEqual([]);
});

test('parents are the live rows under a filter, by key, with when they changed and how often they were missed', async () => {
  const stream = streamOf('parents', { b: 'bigint', a: 'text', other: 'text' }, { key: ['a', 'b'] });
  const table = await openTable(db, stream);
  await table.load([
    [2n ** 60n, 'x', 'o', null],
    [3, 'x', 'o', null],
    [1, odd, 'o', null],
    [1, 'z', 'o', null],
  ]);
  await db.query(
    `update plant.parents set changed_at = '2024-01-01T00:00:00.000001Z', missed_scans = case when b = 3 then 2 else 0 end,
       filter = case when a = 'z' then 'f' end`,
  );
  const changedAt = 1_704_067_200_000_001;
  const parents = await readParents(db, 'plant', stream, { filter: null });
  expect(parents).toEqual([
    { key: { a: odd, b: 1 }, changedAt, missedScans: 0 },
    { key: { a: 'x', b: 3 }, changedAt, missedScans: 2 },
    { key: { a: 'x', b: 2n ** 60n }, changedAt, missedScans: 0 },
    { key: { a: 'z', b: 1 }, changedAt, missedScans: 0 },
  ]);
  expect(Object.keys(parents[0]?.key ?? {})).toEqual(['a', 'b']);
  expect(await readParents(db, 'plant', stream, { filter: 'f' })).toMatchObject([{ key: { a: 'z' } }]);
  await db.query('update plant.parents set deleted_at = now()');
  expect(await readParents(db, 'plant', stream, { filter: null })).toEqual([]);
});

test('a deleted row takes its parts with it, and those of its details, but nothing shared', async () => {
  const label = (thing: string, entry: string): Row => [thing, entry, null];
  await fill(
    things,
    ['a', odd, 'c'].map((name): Row => [name, null, null]),
    [[label('a', '1'), label('a', '2'), label(odd, '1'), label('c', '1')], [['a', null]]],
  );
  await fill(details, [], [[label('a', 'e'), label('c', 'e')]]);
  const keys = [{ name: 'a' }, { name: odd }, { name: 'a' }, { name: 'unknown' }];
  expect(await deleteRows(db, defaultSchemas, things, { keys, misses: 0, streams })).toBe(2);
  expect(await deletedOf('things', 'name, deleted_at = changed_at as at_once')).toEqual([
    { name: 'a', at_once: true },
    { name: odd, at_once: true },
  ]);
  expect(await deletedOf('thing_labels', 'thing, entry')).toEqual([
    { thing: 'a', entry: '1' },
    { thing: 'a', entry: '2' },
    { thing: odd, entry: '1' },
  ]);
  expect(await deletedOf('thing_events', 'thing, entry')).toEqual([{ thing: 'a', entry: 'e' }]);
  expect(await deletedOf('roles', 'entry, extra')).toEqual([]);
  expect(await takeChanges()).toEqual([
    { table_name: 'thing_events', kind: 'deleted', count: 1 },
    { table_name: 'thing_labels', kind: 'deleted', count: 3 },
    { table_name: 'things', kind: 'deleted', count: 2 },
  ]);
  expect(await deleteRows(db, defaultSchemas, things, { keys, misses: 0, streams })).toBe(0);
  expect(await deleteRows(db, defaultSchemas, things, { keys: [], misses: 0, streams })).toBe(0);
  expect(await takeChanges()).toEqual([]);
});

test('rows whose parent is deleted go with it, with their parts; others stay', async () => {
  await fill(
    things,
    ['lives', 'gone'].map((name): Row => [name, null, null]),
    [],
  );
  const owners = ['lives', 'gone', 'never listed'];
  await fill(
    screws,
    owners.flatMap((thing) => ['1', '2'].map((name): Row => [thing, name, null])),
    [owners.map((thing): Row => [thing, '1', 'red', null])],
  );
  expect(await deleteOrphans(db, defaultSchemas, screws)).toBe(0);
  await deleteRows(db, defaultSchemas, things, { keys: [{ name: 'gone' }], misses: 0, streams });
  await takeChanges();
  expect(await deleteOrphans(db, defaultSchemas, screws)).toBe(2);
  expect(await deletedOf('screws', 'thing, name')).toEqual([
    { thing: 'gone', name: '1' },
    { thing: 'gone', name: '2' },
  ]);
  expect(await deletedOf('screw_labels', 'thing, screw')).toEqual([{ thing: 'gone', screw: '1' }]);
  expect(await takeChanges()).toEqual([
    { table_name: 'screw_labels', kind: 'deleted', count: 1 },
    { table_name: 'screws', kind: 'deleted', count: 2 },
  ]);
  expect(await deleteOrphans(db, defaultSchemas, screws)).toBe(0);
  await expect(deleteOrphans(db, defaultSchemas, things)).rejects.toThrow('belong to no other stream');
});

test('a deleted row that is loaded again is restored, with the parts that come with it', async () => {
  await fill(things, [['returns', null, null]], [[['returns', 'x', null]]]);
  await deleteRows(db, defaultSchemas, things, { keys: [{ name: 'returns' }], misses: 0, streams });
  await takeChanges();
  await fill(things, [['returns', null, null]], [[['returns', 'x', null]]]);
  expect(await takeChanges()).toEqual([
    { table_name: 'thing_labels', kind: 'restored', count: 1 },
    { table_name: 'things', kind: 'restored', count: 1 },
  ]);
});

test('a row that was seen again meanwhile stays, and so do its parts', async () => {
  await fill(
    things,
    ['seen', 'missed'].map((name): Row => [name, null, null]),
    [['seen', 'missed'].map((name): Row => [name, 'kept with it', null])],
  );
  await db.query(`update plant.things set missed_scans = 2 where name = 'missed'`);
  await takeChanges();
  const keys = [{ name: 'seen' }, { name: 'missed' }];
  expect(await deleteRows(db, defaultSchemas, things, { keys, misses: 2, streams })).toBe(1);
  expect(await takeChanges()).toEqual([
    { table_name: 'thing_labels', kind: 'deleted', count: 1 },
    { table_name: 'things', kind: 'deleted', count: 1 },
  ]);
  const { rows } = await db.query(
    `select thing from plant.thing_labels where entry = 'kept with it' and deleted_at is null`,
  );
  expect(rows).toEqual([{ thing: 'seen' }]);
});

test('a row that is there, though no list shows it, is missing only after some further scans', async () => {
  const stream = streamOf('unlisted', { name: 'text' });
  const table = await openTable(db, stream);
  const names = ['asked for', 'listed', 'deleted'];
  await table.load(names.map((name): Row => [name, null]));
  await db.query(
    `update plant.unlisted set missed_scans = case when name = 'listed' then 0 else 2 end, filter = 'f',
       deleted_at = case when name = 'deleted' then now() end`,
  );
  const keys = [...names, 'unknown'].map((name) => ({ name }));
  await markPresent(db, defaultSchemas, stream, { keys, rest: 3 });
  const { rows } = await db.query('select name, missed_scans, filter from plant.unlisted order by name');
  expect(rows).toEqual([
    { name: 'asked for', missed_scans: -3, filter: 'f' },
    { name: 'deleted', missed_scans: 2, filter: 'f' },
    { name: 'listed', missed_scans: 0, filter: 'f' },
  ]);
  expect(await countRows(db, 'plant', stream, { filter: null, misses: 1 })).toMatchObject({ missing: 0 });
});

test('parts that came after their row was deleted are deleted too', async () => {
  await fill(things, [['late', null, null]], [[['late', 'x', null]]]);
  await deleteRows(db, defaultSchemas, things, { keys: [{ name: 'late' }], misses: 0, streams });
  await takeChanges();
  await fill(details, [], [[['late', 'y', null]]]);
  await deletePartsOfDeleted(db, defaultSchemas, things, { streams });
  expect(await takeChanges()).toEqual([{ table_name: 'thing_events', kind: 'deleted', count: 1 }]);
});

test('series of deleted properties have vanished, those of others have not', async () => {
  await ensureTables(db, 'plant', objectProperties, { keepRaw: false });
  await db.query(
    `insert into plant.object_properties (object, property, deleted_at) values ('o', 'lives', null), ('o', 'gone', now()), ('o', 'long gone', now())`,
  );
  await db.query(
    `insert into plant.series (object, property, vanished_at)
     values ('o', 'lives', null), ('o', 'gone', null), ('o', 'never listed', null), ('o', 'long gone', '2020-01-01')`,
  );
  expect(await markVanishedSeries(db, 'plant')).toBe(1);
  const { rows } = await db.query(
    `select property, vanished_at is not null as vanished, vanished_at < '2021-01-01' as long_ago from plant.series order by 1`,
  );
  expect(rows).toEqual([
    { property: 'gone', vanished: true, long_ago: false },
    { property: 'lives', vanished: false, long_ago: null },
    { property: 'long gone', vanished: true, long_ago: true },
    { property: 'never listed', vanished: false, long_ago: null },
  ]);
  expect(await markVanishedSeries(db, 'plant')).toBe(0);
});
