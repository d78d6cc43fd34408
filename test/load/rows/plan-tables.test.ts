import { expect, test } from 'vitest';
import { type ExistingTable, planChange, planTables } from '../../../src/load/rows/plan-tables.ts';
import type { Column, Stream } from '../../../src/streams/define.ts';
import { streams } from '../../../src/streams/index.ts';
import { columnOf, streamOf } from '../test-streams.ts';

const persons = (columns: Readonly<Record<string, Column['type']>>, about = 'People.'): Stream =>
  streamOf('persons', columns, { about });
const declared = { name: 'text', at: 'timestamptz' } as const;
const tableOf = (stream: Stream, keepRaw = false) => {
  const [table] = planTables(stream, { keepRaw });
  if (table === undefined) throw new Error('no table');
  return table;
};
const sqlTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };
/** The table that exists after all the statements of its plan. */
const existing: ExistingTable = {
  comment: 'People.',
  key: ['name'],
  indexes: [],
  columns: tableOf(persons(declared)).columns.map(({ name, type, meaning }) => ({
    name,
    type: sqlTypes[type] ?? type,
    comment: meaning,
  })),
};
const plan = (stream: Stream, table: ExistingTable | undefined = existing, taken: readonly string[] = []) =>
  planChange({ schema: 'plant', table: tableOf(stream), existing: table, taken: new Set(taken) }).map((sql) =>
    sql.trim(),
  );

test('a table that is as declared needs nothing', () => {
  expect(plan(persons(declared))).toEqual([]);
});

test('a new column is added with its comment, and nothing else is touched', () => {
  expect(plan(persons({ ...declared, phone: 'text' }))).toEqual([
    'alter table "plant"."persons" add column "phone" text',
    `comment on column "plant"."persons"."phone" is 'It''s the phone.'`,
  ]);
});

test('a table of an older version gets the columns that it lacks, filled with their defaults', () => {
  const older = existing.columns.filter(({ name }) => name !== 'missed_scans');
  expect(plan(persons(declared), { ...existing, columns: older })[0]).toBe(
    'alter table "plant"."persons" add column "missed_scans" integer not null default 0',
  );
});

test('a table whose rows are searched gets its index once', () => {
  const searched: Stream = { ...persons(declared), searched: true };
  expect(plan(searched)).toEqual([
    'create index "persons_by_name" on "plant"."persons" ("name" collate "C") where deleted_at is null',
  ]);
  expect(plan(searched, { ...existing, indexes: ['persons_pkey', 'persons_by_name'] })).toEqual([]);
  // Another table, which was renamed, has an index of that name.
  expect(plan(searched, existing, ['persons_by_name'])[0]).toMatch(/^create index "persons_by_name_2" /);
  expect(plan(searched, { ...existing, indexes: ['persons_by_name_2'] }, ['persons_by_name'])).toEqual([]);
});

test('a column that is declared no more stays', () => {
  expect(plan(persons({ name: 'text' }))).toEqual([]);
});

test('a changed comment is written, quoted', () => {
  expect(plan(persons(declared, "The plant's people."))).toEqual([
    `comment on table "plant"."persons" is 'The plant''s people.'`,
  ]);
});

test('a column of another type is refused with both types and a remedy', () => {
  expect(() => plan(persons({ name: 'text', at: 'text' }))).toThrow(
    'the table persons cannot be brought up to date: column at is timestamp with time zone in the database and declared as text. ' +
      'Rename or drop the table',
  );
});

test('another key is refused', () => {
  expect(() => plan(persons(declared), { ...existing, key: ['name', 'at'] })).toThrow(
    'its key is (name, at) in the database',
  );
});

test.each(['extra', 'raw', 'missed_scans', 'filter', 'deleted_at', 'detail_extra'])(
  'a declared column may not have the name %s of a bookkeeping column',
  (name) => {
    expect(() => tableOf(persons({ name: 'text', [name]: 'text' }))).toThrow(`column ${name} has a name`);
  },
);

test('a name that Postgres would cut is refused', () => {
  const table = tableOf(persons(declared));
  expect(() => planChange({ schema: 's'.repeat(64), table, existing: undefined, taken: new Set() })).toThrow(
    'has 64 bytes',
  );
});

test('details add their columns to the table of the stream that they complete, and may not take its own', () => {
  const base = persons(declared);
  const detailsWith = (columns: Readonly<Record<string, Column['type']>>) =>
    streamOf('person_details', columns, { updates: true, parent: { stream: base, path: { name: 'name' } } });
  const { name, about, columns } = tableOf(detailsWith({ name: 'text', phone: 'text' }), true);
  expect({ name, about }).toEqual({ name: 'persons', about: 'People.' });
  expect(columns.map((column) => column.name)).toEqual(
    ['name', 'at', 'phone', 'first_seen_at', 'changed_at', 'deleted_at', 'extra'].concat([
      'missed_scans',
      'filter',
      'detail_extra',
      'detail_raw',
    ]),
  );
  expect(() => tableOf(detailsWith({ name: 'text', at: 'text' }))).toThrow('column at is declared twice');
});

test('a tree has its computed columns, a part no count of scans', () => {
  const tree = {
    root: 'org',
    name: 'name',
    parent: 'parent',
    path: columnOf('path'),
    depth: columnOf('depth', 'integer'),
  };
  const labels = {
    name: 'node_labels',
    about: 'Labels.',
    key: ['org', 'node', 'label'],
    entries: () => [],
    columns: [
      columnOf('org', 'text', 'parent.org'),
      columnOf('node', 'text', 'parent.name'),
      columnOf('label'),
    ],
  };
  const nodes = streamOf(
    'nodes',
    { org: 'text', name: 'text', parent: 'text' },
    { key: ['org', 'name'], tree, parts: [labels] },
  );
  const [main, part] = planTables(nodes, { keepRaw: true }).map(({ columns }) =>
    columns.map(({ name }) => name),
  );
  expect(main).toEqual(expect.arrayContaining(['path', 'depth', 'missed_scans', 'raw']));
  expect(part).toEqual(['org', 'node', 'label', 'first_seen_at', 'changed_at', 'deleted_at', 'extra']);
});

test('every stream has tables that can be made', () => {
  for (const stream of streams)
    for (const table of planTables(stream, { keepRaw: true }))
      expect(
        planChange({ schema: 'plant', table, existing: undefined, taken: new Set() }).length,
      ).toBeGreaterThan(2);
});
