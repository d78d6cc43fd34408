import type { CollectionName } from '../../../src/simulator/plant/apply-change.ts';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';

/** Returns the records of a collection as the platform's lists show them. */
export function recordsOf({ truth }: Simulator, collection: CollectionName, of = ''): PlainRecord[] {
  switch (collection) {
    case 'persons':
      return truth.records('listPersons');
    case 'users':
      return truth.records('listUsers');
    case 'orgs':
      return truth.records('listOrgs');
    case 'objects':
      return truth.records('listObjects');
    case 'networks':
      return truth.records('listNetworks');
    case 'nodes':
      return truth.records('listOrgNodes', { path: { orgName: of } });
    case 'properties':
      return truth.records('listObjectProperties', { path: { objName: of } });
  }
}

/** Makes random members of a record: for its columns and parts, and for its place among other records. */
export function membersOf(simulator: Simulator, collection: CollectionName, dice: number): PlainRecord {
  switch (collection) {
    case 'persons':
      return {
        gender: 'female',
        username: nameOf(simulator, 'users', dice),
        organizations: organizationsOf(simulator, dice),
      };
    case 'users':
      return { roles: some(roles, dice), personName: nameOf(simulator, 'persons', dice) };
    case 'orgs':
      return { modelLabels: some(labels, dice), leader: [{ name: nameOf(simulator, 'persons', dice) }] };
    case 'objects':
      return {
        modelLabels: some(labels, dice),
        ...metadataOf(dice),
        templateName: choose(['Pump', 'Tank'], dice),
      };
    case 'networks':
      return { tree: treeOf(recordsOf(simulator, 'objects'), dice) };
    case 'nodes':
      return nodeMembers(simulator, dice);
    case 'properties':
      return {
        primitiveType: 'Object',
        modelLabels: some(labels, dice),
        defaultValue: choose([{}, { value: 0 }, { value: '[1,2]' }, { value: [1] }, { value: null }], dice),
        commonTypeValues: { fields: some(fields, dice) },
      };
  }
}

const labels = ['hot', 'north,side', 'a"b', 'hot', ''] as const;
const roles = ['operator', 'viewer "2"', '管理员'].map((name) => ({ name, showName: `Role ${name}` }));
const fields = [
  { name: 'x', primitiveType: 'Double' },
  { name: 'y/~', commonTypeValues: { fields: [{ name: 'inner', structType: 1 }] } },
];
const inputs = [{ name: 'in', reqired: true, defaultValue: { value: false } }, { name: 'out"' }];

function metadataOf(dice: number): PlainRecord {
  const services = [
    { name: 'start', script: 'me.run();', inputs: some(inputs, dice) },
    { name: 'stop 停', output: { name: 'ok', primitiveType: 'Boolean' }, inputs: some(inputs, dice >> 2) },
  ];
  return {
    features: some(['a', 'b', 'a'], dice),
    events: some(
      [
        { name: 'e1', dataStruct: 'D' },
        { name: 'e2', dataStruct: 'D', override: true },
      ],
      dice >> 1,
    ),
    services: some(services, dice >> 3),
    subscriptions: some([{ name: 's', event: 'e1', enabled: dice % 2 === 0 }], dice >> 5),
  };
}

/**
 * Moves a node below another node, to the top, to a missing parent, or below itself. The result may be no
 * tree.
 */
function nodeMembers(simulator: Simulator, dice: number): PlainRecord {
  const orgs = recordsOf(simulator, 'orgs').map(({ name }) => String(name));
  const org = choose(orgs.length > 0 ? orgs : ['none'], dice);
  const nodes = orgs.length > 0 ? recordsOf(simulator, 'nodes', org).map(({ name }) => String(name)) : [];
  return {
    parent: choose([org, 'nowhere', '', ...nodes], dice >> 3),
    modelLabels: some(labels, dice),
    nodes: some(
      [
        { orgName: org, nodeName: choose([...nodes, 'x'], dice), orgPath: org },
        `${org}/${choose([...nodes, 'x'], dice >> 4)}`,
      ],
      dice >> 1,
    ),
  };
}

/** Names some organizations by their path alone, which is the path of a node at the top of its tree. */
function organizationsOf(simulator: Simulator, dice: number): unknown[] {
  const orgs = recordsOf(simulator, 'orgs').map(({ name }) => String(name));
  const all = orgs.flatMap((orgName) =>
    recordsOf(simulator, 'nodes', orgName).map(({ name }, place) => {
      const orgPath = `${orgName}/${name}`;
      return place % 2 === 1 ? orgPath : { orgName, nodeName: name, orgPath };
    }),
  );
  return some(all, dice).slice(0, 3);
}

interface Branch {
  readonly object: string;
  readonly children: readonly Branch[];
}

/** Makes a tree of some of the objects. One object may stand at several places. */
function treeOf(objects: readonly PlainRecord[], dice: number): Branch[] {
  if (objects.length === 0) return [];
  const branch = (depth: number): Branch => {
    const seed = dice + depth * 7;
    const children =
      depth > 2 ? [] : Array.from({ length: (seed >> depth) % 3 }, (_, k) => branch(depth + k + 1));
    return { object: String(choose(objects, seed).name), children };
  };
  return Array.from({ length: dice % 3 }, (_, k) => branch(k));
}

function nameOf(simulator: Simulator, collection: CollectionName, dice: number): string {
  const records = recordsOf(simulator, collection);
  if (records.length === 0) return 'nobody';
  const { name, username = name } = choose(records, dice);
  return String(username);
}

export function choose<T>(all: readonly T[], dice: number): T {
  return all[dice % all.length] as T;
}

/** Returns the entries whose bits are set in `dice`. */
function some<T>(all: readonly T[], dice: number): T[] {
  return all.filter((_, place) => ((dice >> place) & 1) === 1);
}
