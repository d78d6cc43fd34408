import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNodeFinder, type NodePath } from '../../src/streams/node-finder.ts';
import { readNodeEntries } from '../../src/streams/org-paths.ts';

const nodes: NodePath[] = [
  { org: 'plant', node: 'plant', path: 'plant' },
  { org: 'plant', node: 'slash/03', path: 'plant/slash/03' },
  { org: 'plant', node: 'b', path: 'plant/a/b' },
  { org: 'plant/a', node: 'b', path: 'plant/a/b' },
  { org: 'plant', node: '/', path: 'plant//' },
  { org: 'plant', node: 'x', path: 'plant/x' },
  { org: 'plant', node: 'x/', path: 'plant/x/' },
];
const read = (entry: unknown, findNode = createNodeFinder(nodes)) =>
  readNodeEntries('nodes')({ nodes: entry === undefined ? undefined : [entry] }, findNode);

describe('an entry that tells a path alone', () => {
  it.each([
    ['plant/slash/03', 'slash/03'],
    ['/plant/slash/03', 'slash/03'],
    ['plant/slash/03/', 'slash/03'],
    ['plant', 'plant'],
    ['/plant/', 'plant'],
    ['plant//', '/'],
  ])('is of the node that has it: %s', (path, node) => {
    for (const entry of [path, { orgPath: path }, { orgPath: path, orgName: null, nodeName: '' }])
      expect(read(entry)).toEqual([{ orgPath: path, orgName: 'plant', nodeName: node, '#position': 1 }]);
  });

  it.each(['plant/slash', 'plant/03', '03', 'plant/b', 'other', '', '/', '//plant'])(
    'stays whole where no node has it: "%s"',
    (path) => expect(read(path)).toEqual([{ orgPath: path, '#position': 1 }]),
  );

  it.each(['plant/a/b', 'plant/x/', '/plant/x/'])('stays whole where several nodes have it: %s', (path) =>
    expect(read(path)).toEqual([{ orgPath: path, '#position': 1 }]),
  );

  it('stays whole where no node is known, and keeps what else it tells', () => {
    expect(readNodeEntries('nodes')({ nodes: ['plant', { orgPath: 'plant', since: 2019 }] })).toEqual([
      { orgPath: 'plant', '#position': 1 },
      { orgPath: 'plant', since: 2019, '#position': 2 },
    ]);
    expect(read({ orgPath: 'plant', since: 2019 })).toMatchObject([{ nodeName: 'plant', since: 2019 }]);
  });
});

it('takes the names that an entry tells as they are', () => {
  for (const told of [{ orgName: 'plant' }, { nodeName: 'b' }, { orgName: { odd: 1 } }, { nodeName: 7 }])
    expect(read({ ...told, orgPath: 'plant' })).toEqual([{ ...told, orgPath: 'plant', '#position': 1 }]);
  expect(read({ orgPath: 7 })).toEqual([{ orgPath: 7, '#position': 1 }]);
  expect(read(true)).toEqual([true]);
});

it('never names another node than the one whose path was written', () => {
  const name = fc.array(fc.constantFrom('a', 'b', '/', '~'), { minLength: 1, maxLength: 3 });
  const way = fc.array(
    name.map((signs) => signs.join('')),
    { minLength: 1, maxLength: 3 },
  );
  const anyNodes = fc.uniqueArray(way, { selector: (names) => JSON.stringify(names), minLength: 1 });
  const ends = fc.tuple(fc.constantFrom('', '/'), fc.constantFrom('', '/'));
  fc.assert(
    fc.property(anyNodes, ends, (ways, [head, tail]) => {
      // Each node has a name of its own, which shows which node was found.
      const all = ways.map((names, k) => ({ org: 'tree', node: `n${k}`, path: names.join('/') }));
      const find = createNodeFinder(all);
      for (const { node, path } of all) {
        const written = head + path + tail;
        const same = all.filter((other) =>
          [other.path, `/${other.path}`, `${other.path}/`, `/${other.path}/`].includes(written),
        );
        expect(find(written)?.node).toBe(same.length === 1 ? node : undefined);
      }
      const unknown = ['tree', ...all.map(({ path }) => `${path}/c`)];
      expect(unknown.map(find)).toEqual(unknown.map(() => undefined));
    }),
  );
});
