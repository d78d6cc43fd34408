import { expect, test } from 'vitest';
import { type ExistingTable, planTable } from '../../src/load/tables.ts';
import { type Column, defineStream, type Stream } from '../../src/streams/define.ts';

const column = (name: string, type: Column['type'] = 'text'): Column => ({
  name,
  type,
  source: name,
  meaning: `The ${name}.`,
});
const streamOf = (columns: Column[], about = 'People.'): Stream =>
  defineStream({ name: 'persons', about, operation: 'listPersons', key: ['name'], columns });

const existing: ExistingTable = {
  comment: 'People.',
  key: ['name'],
  columns: [
    { name: 'name', type: 'text', comment: 'The name.' },
    { name: 'at', type: 'timestamp with time zone', comment: 'The at.' },
    { name: 'first_seen_at', type: 'timestamp with time zone', comment: 'When the row was first loaded.' },
    {
      name: 'changed_at',
      type: 'timestamp with time zone',
      comment: 'When the row was last loaded with a change.',
    },
    {
      name: 'deleted_at',
      type: 'timestamp with time zone',
      comment: 'When the platform was found to have it no more; null while it has.',
    },
    { name: 'extra', type: 'jsonb', comment: 'Members of the record that are not known here.' },
  ],
};
const declared = [column('name'), column('at', 'timestamptz')];
const plan = (stream: Stream, table: ExistingTable | undefined = existing) =>
  planTable({ schema: 'plant', stream, existing: table });

test('a table that is as declared needs nothing', () => {
  expect(plan(streamOf(declared))).toEqual([]);
});

test('a new column is added with its comment, and nothing else is touched', () => {
  expect(plan(streamOf([...declared, column('phone')])).map((sql) => sql.trim())).toEqual([
    'alter table "plant"."persons" add column "phone" text',
    `comment on column "plant"."persons"."phone" is 'The phone.'`,
  ]);
});

test('a column that is declared no more stays', () => {
  expect(plan(streamOf([column('name')]))).toEqual([]);
});

test('a changed comment is written, quoted', () => {
  expect(plan(streamOf(declared, "The plant's people."))).toEqual([
    `comment on table "plant"."persons" is 'The plant''s people.'`,
  ]);
});

test('a column of another type is refused with both types and a remedy', () => {
  expect(() => plan(streamOf([column('name'), column('at')]))).toThrow(
    'column at is timestamp with time zone in the database and declared as text. Rename or drop the table',
  );
});

test('another key is refused', () => {
  expect(() => plan(streamOf(declared), { ...existing, key: ['name', 'at'] })).toThrow(
    'its key is (name, at) in the database',
  );
});

test('a declared column may not have the name of a bookkeeping column', () => {
  expect(() => plan(streamOf([column('name'), column('extra')]), undefined)).toThrow(
    'column extra has a name',
  );
});

test('a name that Postgres would cut is refused', () => {
  expect(() =>
    planTable({ schema: 's'.repeat(64), stream: streamOf(declared), existing: undefined }),
  ).toThrow('has 64 bytes');
});
