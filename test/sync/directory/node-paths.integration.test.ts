import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syncStreams } from '../../../src/sync/once/sync-streams.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { expectTable } from '../../support/truth/directory-truth.ts';

const nothing = { persons: 0, users: 0, orgs: 0, objects: 0, networks: 0, alarmSources: 0 };

interface Node {
  readonly org: string;
  readonly node: string;
  readonly path: string;
}

/**
 * A tree with its nodes. `above` is the place of the node above among the nodes, or undefined for the tree
 * itself.
 */
interface Tree {
  readonly name: string;
  readonly nodes: readonly { readonly name: string; readonly above: number | undefined }[];
}

const anyName = fc
  .array(fc.constantFrom('a', 'b', '/', '~'), { minLength: 1, maxLength: 3 })
  .map((signs) => signs.join(''));
const anyTree: fc.Arbitrary<Tree> = fc.record({
  name: anyName,
  nodes: fc
    .uniqueArray(fc.record({ name: anyName, dice: fc.nat(9) }), {
      selector: ({ name }) => name,
      maxLength: 5,
    })
    .map((nodes) =>
      nodes.map(({ name, dice }, k) => ({ name, above: dice % (k + 1) === k ? undefined : dice % (k + 1) })),
    ),
});
const anyTrees = fc.uniqueArray(anyTree, { selector: ({ name }) => name, minLength: 10, maxLength: 14 });

/** Lists the roots and nodes of the trees, with their names joined by slashes. */
function nodesOf(trees: readonly Tree[]): Node[] {
  return trees.flatMap(({ name: org, nodes }) => {
    const paths: string[] = [];
    for (const { name, above } of nodes) paths.push(`${above === undefined ? org : paths[above]}/${name}`);
    const below = nodes.map(({ name }, k) => ({ org, node: name, path: paths[k] as string }));
    return [{ org, node: org, path: org }, ...below];
  });
}

/**
 * Makes the trees, a person in each node, and a link from each node to all others. They name each other by
 * paths alone.
 */
function grow({ simulator }: SimulatedPlant, trees: readonly Tree[]): void {
  const all = nodesOf(trees);
  for (const { name, nodes } of trees) {
    simulator.change({ collection: 'orgs', kind: 'add', record: { name, showName: name } });
    for (const node of nodes)
      simulator.change({
        collection: 'nodes',
        of: name,
        kind: 'add',
        record: {
          name: node.name,
          parent: node.above === undefined ? name : nodes[node.above]?.name,
          nodes: all.map(({ path }) => path),
        },
      } as never);
  }
  for (const [k, { path }] of all.entries()) {
    const organizations = [path, `/${path}`, `${path}/`, `${path}/nowhere`];
    simulator.change({ collection: 'persons', kind: 'add', record: { name: `P${k}`, organizations } });
  }
}

const sync = ({ ctx }: SimulatedPlant, ...names: string[]) => syncStreams(ctx, names);
const everything = ['org_trees', 'org_nodes', 'persons'];

/** Tells who wrote or locked each row last, where the row lies, and how many changes there were. */
async function trace({ databases }: SimulatedPlant): Promise<unknown[]> {
  const ofTable = (table: string) =>
    databases.rows(`select ctid::text, xmin::text, xmax::text from plant.${table} order by ctid`);
  return [
    await ofTable('person_organizations'),
    await ofTable('org_node_links'),
    await databases.rows('select count(*)::int from plantsync.changes'),
  ];
}

describe('trees with slashes in their names', () => {
  it.each([1, 2, 16])(
    'are found by their paths, or the paths stay whole, and a second scan writes nothing (seed %i)',
    async (seed) => {
      const [trees = []] = fc.sample(anyTrees, { seed, numRuns: 1 });
      const all = nodesOf(trees);
      const plant = await openSimulatedPlant({ size: nothing });
      grow(plant, trees);
      for (const { problems } of await sync(plant, ...everything)) expect(problems).toEqual([]);
      const { rows } = await plant.databases.db.query(
        `select person, position, org, node, org_path from plant.person_organizations where deleted_at is null`,
      );
      expect(rows).toHaveLength(4 * all.length);
      const named = rows.filter(({ org }) => org !== null);
      for (const { person, org, node } of named)
        expect(all[Number(String(person).slice(1))]).toMatchObject({ org, node });
      for (const { position, org, node } of rows.filter((row) => row.position === 4 || row.org === null))
        expect([position === 4, org, node]).toEqual([position === 4, null, null]);
      // Among many trees with few different names, some paths belong to several nodes.
      expect(named.length).toBeGreaterThan(all.length);
      expect(named.length).toBeLessThan(3 * all.length);
      await expectTable(plant, 'person_organizations');
      expect(await expectTable(plant, 'org_node_links')).toBeGreaterThan(500);

      const before = await trace(plant);
      await sync(plant, ...everything, 'org_node_details');
      expect(await trace(plant)).toEqual(before);
    },
  );
});

describe('a path of a node that is not known yet', () => {
  const tree = (...names: string[]): Tree => ({
    name: 'plant',
    nodes: names.map((name) => ({ name, above: undefined })),
  });
  const placesOf = ({ databases }: SimulatedPlant) =>
    databases.rows(
      `select org || ':' || node from plant.person_organizations where person = 'P1' order by position limit 1`,
    );
  const countChanges = async ({ databases }: SimulatedPlant) =>
    (
      await databases.rows(
        `select count(*)::int from plantsync.changes where table_name = 'person_organizations'`,
      )
    )[0];

  it('stays whole, and is named by the next scan, with one change', async () => {
    const plant = await openSimulatedPlant({ size: nothing });
    grow(plant, [tree('slash/03')]);
    await sync(plant, 'persons');
    expect(await placesOf(plant)).toEqual([null]);
    await sync(plant, ...everything);
    expect(await placesOf(plant)).toEqual(['plant:slash/03']);
    // Each of two persons was written in three spellings.
    expect(await countChanges(plant)).toBe(6);
    await sync(plant, ...everything);
    expect(await countChanges(plant)).toBe(6);
  });

  it('follows the node: it is whole while no node, or more than one, has it', async () => {
    const plant = await openSimulatedPlant({ size: nothing });
    grow(plant, [tree('slash/03')]);
    const { simulator } = plant;
    const nodes = { collection: 'nodes', of: 'plant' } as const;
    const add = (name: string, parent: string) =>
      simulator.change({ ...nodes, kind: 'add', record: { name, parent } } as never);
    await sync(plant, ...everything);
    expect(await placesOf(plant)).toEqual(['plant:slash/03']);
    add('slash', 'plant');
    add('03', 'slash');
    await sync(plant, ...everything);
    expect(await placesOf(plant)).toEqual([null]);
    simulator.change({ ...nodes, kind: 'update', key: 'slash/03', change: { parent: 'slash' } });
    await sync(plant, ...everything);
    expect(await placesOf(plant)).toEqual(['plant:03']);
  });

  it('stays whole where nodes are not read', async () => {
    const plant = await openSimulatedPlant({ size: nothing }, () => ({ streams: { org_nodes: 'off' } }));
    grow(plant, [tree('slash/03')]);
    await sync(plant, 'persons');
    expect(await placesOf(plant)).toEqual([null]);
    expect(await plant.databases.count('org_nodes')).toBe(0);
  });
});

it('keeps what cannot be used of two nodes apart, though their names joined by slashes are equal', async () => {
  const plant = await openSimulatedPlant({ size: nothing });
  const { simulator } = plant;
  const both = [
    { of: 'a', name: 'b/c' },
    { of: 'a/b', name: 'c' },
  ];
  for (const { of, name } of both) {
    simulator.change({ collection: 'orgs', kind: 'add', record: { name: of } });
    const record = { name, parent: of, nodes: [true] };
    simulator.change({ collection: 'nodes', of, kind: 'add', record } as never);
  }
  const open = () =>
    plant.databases.rows('select key from plantsync.rejects where resolved_at is null order by key');
  await sync(plant, 'org_trees', 'org_nodes');
  expect(await open()).toEqual(['a/b/c', 'a~1b/c']);
  // Only the details of the changed node are read again.
  const change = { nodes: [], showName: 'mended' };
  simulator.change({ collection: 'nodes', of: 'a/b', kind: 'update', key: 'c', change });
  await sync(plant, 'org_trees', 'org_nodes');
  expect(await open()).toEqual(['a/b/c']);
});
