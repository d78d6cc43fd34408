import { expect, test } from 'vitest';
import { targetsOf } from '../../../src/load/rows/row-targets.ts';
import { columnOf, streamOf } from '../test-streams.ts';

const people = streamOf(
  'people',
  { name: 'text', age: 'integer' },
  {
    parts: [
      {
        name: 'people_labels',
        about: 'Labels.',
        key: ['person', 'label'],
        entries: () => [],
        columns: [columnOf('person', 'text', 'parent.name'), columnOf('label')],
      },
    ],
  },
);
const details = streamOf(
  'people_details',
  { name: 'text', phone: 'text' },
  { updates: true, parent: { stream: people, path: { name: 'name' } } },
);
const namesOf = (target: { columns: readonly { name: string }[] }) => target.columns.map(({ name }) => name);

test('rows of a list go to the table of the stream, those of parts to their own, in the order of their values', () => {
  const { main, parts } = targetsOf(people, { keepRaw: false, filter: '{"keyword":"a"}' });
  expect(main).toMatchObject({ table: 'people', key: ['name'], kind: 'list', filter: '{"keyword":"a"}' });
  expect(namesOf(main)).toEqual(['name', 'age', 'extra']);
  expect(parts).toMatchObject([
    { table: 'people_labels', key: ['person', 'label'], kind: 'part', filter: null },
  ]);
  expect(parts.map(namesOf)).toEqual([['person', 'label', 'extra']]);
});

test('details go to the table of the stream that they complete, with what they do not know beside its own', () => {
  const { main } = targetsOf(details, { keepRaw: true, filter: null });
  expect(main).toMatchObject({ table: 'people', key: ['name'], kind: 'details' });
  expect(namesOf(main)).toEqual(['name', 'phone', 'detail_extra', 'detail_raw']);
});

test('raw records are kept with the rows of the list, not with those of parts', () => {
  const { main, parts } = targetsOf(people, { keepRaw: true, filter: null });
  expect(namesOf(main)).toEqual(['name', 'age', 'extra', 'raw']);
  expect(parts.map(namesOf)).toEqual([['person', 'label', 'extra']]);
});

test('the computed columns of a tree are not among those that rows bring', () => {
  const tree = {
    root: 'org',
    name: 'name',
    parent: 'parent',
    path: columnOf('path'),
    depth: columnOf('depth', 'integer'),
  };
  const nodes = streamOf(
    'nodes',
    { org: 'text', name: 'text', parent: 'text' },
    { key: ['org', 'name'], tree },
  );
  expect(namesOf(targetsOf(nodes, { keepRaw: false, filter: null }).main)).toEqual([
    'org',
    'name',
    'parent',
    'extra',
  ]);
});
