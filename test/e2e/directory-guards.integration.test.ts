import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../src/simulator/dialect.ts';
import type { FaultRule } from '../../src/simulator/faults.ts';
import type { Simulator } from '../../src/simulator/options.ts';
import { streams } from '../../src/streams/index.ts';
import { expectedTables, expectWholeDirectory } from '../sync/directory-truth.ts';
import { makeSimulatedProject, openSimulator, type SimulatedProject } from './simulated-project.ts';

/** The lists, whose details come with them. */
const lists = streams.filter(({ updates }) => !updates).map(({ name }) => name);

/** A project that has read its directory once. */
async function makeReadProject({ networks = 2 } = {}): Promise<SimulatedProject> {
  const size = {
    networks,
    persons: 40,
    users: 30,
    orgs: 2,
    nodesPerOrg: 12,
    objects: 60,
    propertiesPerObject: 6,
  };
  const simulator = await openSimulator({ size, seed: 4 });
  const { baseUrl, appId, secret } = simulator;
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    platform: { baseUrl, appId, secret, pageSize: 5 },
    postgres,
  }));
  expect(await sync(project)).toMatchObject({ code: 0 });
  await expectWholeDirectory(project);
  return project;
}

const sync = ({ run }: SimulatedProject, ...names: string[]) =>
  run(['sync', ...(names.length > 0 ? names : lists)]);

async function countDeleted({ databases }: SimulatedProject): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const table of Object.keys(expectedTables)) {
    const [count] = await databases.rows(
      `select count(*)::int from plant.${table} where deleted_at is not null`,
    );
    if (count !== 0) deleted[table] = Number(count);
  }
  return deleted;
}

const hide = (operation: FaultRule['operation']): FaultRule => ({ kind: 'hide', operation }) as FaultRule;

interface Trouble {
  readonly begin: (simulator: Simulator) => void;
  /** What `status` says of it; nothing where the truth is known in spite of it. */
  readonly says?: RegExp;
}

const troubles: Record<string, Trouble> = {
  'an outage that returns empty lists': {
    begin: (simulator) => simulator.setFaults([{ kind: 'empty-list' }]),
    says: /objects: 60 of 60 rows are missing from the platform's list.*none is deleted.*maxDeleteShare/,
  },
  'a change of permissions that hides half of the objects': {
    begin: (simulator) =>
      simulator.setFaults(
        ['listObjects', 'getObject', 'listObjectProperties'].map((operation) =>
          hide(operation as 'listObjects'),
        ),
      ),
    says: /objects: \d+ of 60 rows are missing from the platform's list.*none is deleted.*maxDeleteShare/,
  },
  'a last page that repeats': {
    begin: (simulator) => simulator.setDialect({ pastEnd: 'last-page', total: 'absent' }),
  },
  'a total that is too low': { begin: (simulator) => simulator.setDialect({ total: 'low' }) },
  'a total that counts the first page only': {
    begin: (simulator) => simulator.setDialect({ total: 'first-page-size' }),
  },
  'a total that is too high': { begin: (simulator) => simulator.setDialect({ total: 'high' }) },
};

describe('no row is deleted in', { timeout: 600_000 }, () => {
  it.each(Object.entries(troubles))('%s', async (_, { begin, says }) => {
    const project = await makeReadProject();
    const { simulator, run } = project;
    begin(simulator);
    // One more than a row must be missing for.
    for (let scan = 1; scan <= 3; scan += 1) {
      const { code, output } = await sync(project);
      expect([0, 3], output).toContain(code);
      if (says !== undefined) expect(code, output).toBe(3);
    }
    expect(await countDeleted(project)).toEqual({});
    if (says === undefined) await expectWholeDirectory(project);
    else expect((await run(['status'])).stdout.replaceAll('\n', ' ')).toMatch(says);

    simulator.setFaults([]);
    simulator.setDialect(defaultDialect);
    expect(await sync(project)).toMatchObject({ code: 0 });
    await expectWholeDirectory(project);
    expect(await countDeleted(project)).toEqual({});
    if (says !== undefined) expect((await run(['status'])).stdout).not.toMatch(/rows are missing/);
  });
});

const namesOf = ({ truth }: Simulator) => truth.records('listObjects').map(({ name }) => String(name));
const remove = (simulator: Simulator, key: string) =>
  simulator.change({ collection: 'objects', kind: 'remove', key });

async function liveObjects({ databases }: SimulatedProject): Promise<string[]> {
  return (await databases.rows(
    'select name from plant.objects where deleted_at is null order by name collate "C"',
  )) as string[];
}

describe('rows whose records are really gone', { timeout: 600_000 }, () => {
  it('are deleted after two scans if they are few, and only if the platform, asked for them, has no more of them', async () => {
    // Without an object a network shows most of the others at new places, which is many.
    const project = await makeReadProject({ networks: 0 });
    const { simulator, databases } = project;
    const [gone = '', other = '', unlisted = ''] = namesOf(simulator);
    const [record] = simulator.truth.records('listObjects');
    remove(simulator, gone);
    remove(simulator, other);
    simulator.change({ collection: 'objects', kind: 'update', key: unlisted, change: { listed: false } });

    await sync(project, 'objects', 'object_properties');
    expect(await liveObjects(project)).toHaveLength(60);
    simulator.resetRequests();
    await sync(project, 'objects', 'object_properties');
    expect(await liveObjects(project)).toEqual([...namesOf(simulator), unlisted].sort());
    const properties = await databases.rows(
      `select count(*)::int, count(deleted_at)::int as deleted from plant.object_properties where object in ('${gone}', '${other}')`,
    );
    expect(properties).toEqual([[12, 12]]);
    expect(
      await databases.rows(
        `select before ->> 'show_name' as show_name, key ->> 'name' as name from plantsync.changes
         where table_name = 'objects' and kind = 'deleted' order by name`,
      ),
    ).toContainEqual([record?.showName === undefined ? null : String(record.showName), gone]);

    simulator.change({ collection: 'objects', kind: 'update', key: unlisted, change: { listed: true } });
    simulator.change({ collection: 'objects', kind: 'add', record: { ...record, explain: 'back again' } });
    expect(await sync(project)).toMatchObject({ code: 0 });
    expect(await liveObjects(project)).toHaveLength(59);
    expect(
      await databases.rows(
        `select key ->> 'name' from plantsync.changes where table_name = 'objects' and kind = 'restored'`,
      ),
    ).toEqual([gone]);
    await sync(project);
    await expectWholeDirectory(project);
  });

  it('stay where they are many, until somebody says that they are gone', async () => {
    const project = await makeReadProject();
    const { simulator, run } = project;
    const all = namesOf(simulator);
    for (const name of all.slice(0, 30)) remove(simulator, name);
    for (let scan = 1; scan <= 3; scan += 1) expect(await sync(project)).toMatchObject({ code: 3 });
    expect(await liveObjects(project)).toHaveLength(60);
    expect((await run(['status'])).stdout).toContain('sync objects --accept-deletes');

    expect(await run(['sync', 'objects', '--accept-deletes'])).toMatchObject({ code: 0 });
    expect(await liveObjects(project)).toEqual(namesOf(simulator).sort());
    // What belonged to them goes with them; networks that showed them have to say so twice.
    for (let scan = 1; scan <= 2; scan += 1) await sync(project);
    expect(await run(['sync', 'network_nodes', '--accept-deletes'])).toMatchObject({ code: 0 });
    await expectWholeDirectory(project);
  });
});
