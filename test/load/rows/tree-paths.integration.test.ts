import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { computePaths } from '../../../src/load/rows/tree-paths.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { Row, Stream } from '../../../src/streams/define.ts';
import { openLedgerDatabase } from '../test-data.ts';
import { columnOf, openTable, streamOf, type TestTable } from '../test-streams.ts';

const tree = {
  root: 'org',
  name: 'name',
  parent: 'parent',
  path: columnOf('path'),
  depth: columnOf('depth', 'integer'),
};
const nodes = (name: string): Stream =>
  streamOf(name, { org: 'text', name: 'text', parent: 'text' }, { key: ['org', 'name'], tree });

let db: Database;
let close: () => Promise<void>;
let table: TestTable;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
  table = await openTable(db, nodes('nodes'));
});
afterAll(() => close());

const compute = (stream = nodes('nodes')) => computePaths(db, defaultSchemas, stream);
const row = (org: string, name: string, parent: string | null): Row => [org, name, parent, null];
const pathsOf = async (org: string) =>
  (await db.query('select name, path, depth from plant.nodes where org = $1 order by name', [org])).rows;

test('a path leads from the root down, with separators inside a name escaped', async () => {
  await table.load([
    row('a/b~', 'top', 'a/b~'),
    row('a/b~', 'x/y', 'top'),
    row('a/b~', '~1', 'x/y'),
    row('a/b~', 'also top', null),
    row('a/b~', 'top too', ''),
    row('other', 'top', 'other'),
  ]);
  expect(await compute()).toBe(6);
  expect(await pathsOf('a/b~')).toEqual([
    { name: 'also top', path: 'a~1b~0/also top', depth: 1 },
    { name: 'top', path: 'a~1b~0/top', depth: 1 },
    { name: 'top too', path: 'a~1b~0/top too', depth: 1 },
    { name: 'x/y', path: 'a~1b~0/top/x~1y', depth: 2 },
    { name: '~1', path: 'a~1b~0/top/x~1y/~01', depth: 3 },
  ]);
  expect(await pathsOf('other')).toEqual([{ name: 'top', path: 'other/top', depth: 1 }]);
  // A path that is computed for the first time is no change.
  expect(await table.takeChanges()).toEqual([]);
});

test('only rows whose way changed are written, as changes', async () => {
  await table.load([row('m', 'a', 'm'), row('m', 'b', 'a'), row('m', 'c', 'b'), row('m', 'd', 'm')]);
  await compute();
  const versions = async () =>
    (await db.query("select name, xmin, xmax from plant.nodes where org = 'm' order by name")).rows;
  const before = await versions();
  expect(await compute()).toBe(0);
  expect(await versions()).toEqual(before);
  await table.load([row('m', 'b', 'd')]);
  await table.takeChanges();
  expect(await compute()).toBe(2);
  expect(await pathsOf('m')).toMatchObject([
    { path: 'm/a' },
    { path: 'm/d/b', depth: 2 },
    { path: 'm/d/b/c', depth: 3 },
    { path: 'm/d' },
  ]);
  expect(await table.takeChanges()).toMatchObject([
    { key: { org: 'm', name: 'b' }, kind: 'updated', before: { path: 'm/a/b', parent: 'd' } },
    { key: { org: 'm', name: 'c' }, kind: 'updated', before: { path: 'm/a/b/c' } },
  ]);
});

test('a row in a circle, below a missing or a deleted row, has no path; a deleted one keeps its own', async () => {
  await table.load([
    row('n', 'top', 'n'),
    row('n', 'below', 'top'),
    row('n', 'p', 'q'),
    row('n', 'q', 'p'),
    row('n', 'below q', 'q'),
    row('n', 'self', 'self'),
    row('n', 'lost', 'nowhere'),
    // A node with the name of its root. A node that names it as parent is at the top.
    row('n', 'n', 'n'),
  ]);
  await compute();
  const withPath = async () =>
    (await pathsOf('n')).filter(({ path }) => path !== null).map(({ path }) => path);
  expect(await withPath()).toEqual(['n/top/below', 'n/n', 'n/top']);
  await db.query("update plant.nodes set deleted_at = now() where org = 'n' and name = 'top'");
  expect(await compute()).toBe(1);
  expect(await withPath()).toEqual(['n/n', 'n/top']);
  await table.load([row('n', 'top', 'n')]);
  expect(await compute()).toBe(1);
  expect(await withPath()).toEqual(['n/top/below', 'n/n', 'n/top']);
});

test('paths are what following the parents says, whatever the rows are', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', '/', '~', 'r');
  const node = fc.record({
    name,
    parent: fc.oneof(name, fc.constantFrom(null, '')),
    deleted: fc.boolean(),
  });
  const anyTree = fc.uniqueArray(node, { selector: (each) => each.name });
  await fc.assert(
    fc.asyncProperty(anyTree, anyTree, async (first, second) => {
      await db.query('truncate plant.nodes');
      for (const state of [first, second]) {
        await table.load(state.map((each) => row('r', each.name, each.parent)));
        for (const each of state)
          await db.query('update plant.nodes set deleted_at = case when $2 then now() end where name = $1', [
            each.name,
            each.deleted,
          ]);
        await compute();
        const { rows } = await db.query(
          'select name, parent, path, depth from plant.nodes where deleted_at is null',
        );
        const parents = new Map(rows.map((each) => [each.name as string, each.parent as string | null]));
        for (const each of rows) {
          const way = wayTo(each.name as string, parents);
          expect({ path: each.path, depth: each.depth }).toEqual({
            path: way && ['r', ...way].map(escapeName).join('/'),
            depth: way === null ? null : way.length,
          });
        }
      }
    }),
    { numRuns: 60 },
  );
});

function wayTo(name: string, parents: ReadonlyMap<string, string | null>): string[] | null {
  const way: string[] = [];
  for (let at: string | null = name; ; at = parents.get(at) ?? null) {
    if (at === null || !parents.has(at) || way.includes(at)) return null;
    way.unshift(at);
    if ([null, '', 'r'].includes(parents.get(at) ?? null)) return way;
  }
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

test('a tree whose key does not name each row within its root is refused', async () => {
  const odd = streamOf(
    'odd',
    { org: 'text', id: 'text', name: 'text', parent: 'text' },
    { key: ['org', 'id'], tree },
  );
  await expect(compute(odd)).rejects.toThrow('needs the key (org, name)');
  await expect(compute(streamOf('flat', { name: 'text' }))).rejects.toThrow('are no tree');
});
