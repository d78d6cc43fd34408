import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/output/exit-code.ts';
import { ExitCode } from '../../../src/errors.ts';
import { defaultDialect } from '../../../src/simulator/simulator-dialect.ts';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import { isHidden } from '../../../src/simulator/views.ts';
import { streams } from '../../../src/streams/index.ts';
import { syncStreams } from '../../../src/sync/once/sync-streams.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { makeProject, type Project } from '../../support/program/plantsync.ts';
import { expectedTables, expectWholeDirectory } from '../../support/truth/directory-truth.ts';

/** The lists. Their details are read with them. */
const lists = streams.filter(({ updates }) => !updates).map(({ name }) => name);

const seed = 4;

/** A plant that this process reads, and the command line on the same database. */
interface ReadPlant extends SimulatedPlant, Pick<Project, 'run'> {}

/** Opens a plant and reads its directory once. */
async function openReadPlant({ networks = 2 } = {}): Promise<ReadPlant> {
  const size = {
    ...{ persons: 24, users: 20, orgs: 2, nodesPerOrg: 3 },
    ...{ objects: 32, propertiesPerObject: 2, networks },
  };
  const plant = await openSimulatedPlant({ size, seed }, () => ({ platform: { pageSize: 5 } }));
  const { baseUrl, appId, secret } = plant.simulator;
  const { run } = makeProject({
    platform: { baseUrl, appId, secret, pageSize: 5 },
    postgres: plant.databases.sections.postgres,
  });
  expect(await sync(plant)).toBe(ExitCode.done);
  return { ...plant, run };
}

/** Syncs streams as the command does. Resolves to the exit code of the command. */
const sync = async ({ ctx }: SimulatedPlant, ...names: string[]): Promise<number> =>
  exitCodeOf(await syncStreams(ctx, names.length > 0 ? names : lists));

const statusOf = async ({ run }: ReadPlant) => (await run(['status'])).stdout.replaceAll('\n', ' ');

async function countDeleted({ databases }: ReadPlant): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const table of Object.keys(expectedTables)) {
    const [count] = await databases.rows(
      `select count(*)::int from plant.${table} where deleted_at is not null`,
    );
    if (count !== 0) deleted[table] = Number(count);
  }
  return deleted;
}

const namesOf = ({ truth }: Simulator) => truth.records('listObjects').map(({ name }) => String(name));

interface Trouble {
  readonly begin: (simulator: Simulator) => void;
  /** The exit code of a sync while the trouble lasts. */
  readonly code: number;
  /** Whether every row is known in spite of the trouble. */
  readonly isWhole: boolean;
  /** The text of `status` about the trouble. Undefined where the trouble does no harm. */
  readonly says?: RegExp;
}

/**
 * Hides half of the objects with their properties: they are neither listed nor found. The other half is
 * unchanged.
 */
function hideObjects(simulator: Simulator): void {
  const hidden = namesOf(simulator).filter((name) => isHidden(seed, name));
  const hide = { kind: 'hide' } as const;
  simulator.setFaults([
    { ...hide, operation: 'listObjects' },
    { ...hide, operation: 'getObject' },
    ...hidden.map((name) => ({
      ...hide,
      operation: 'listObjectProperties' as const,
      match: `/${encodeURIComponent(name)}/`,
    })),
  ]);
}

const tooMany = (missing: string) =>
  new RegExp(`objects: ${missing} of 32 rows are missing.*none is deleted.*limits\\.maxDeleteShare`);

const troubles: Record<string, Trouble> = {
  'an outage that returns empty lists': {
    begin: (simulator) => simulator.setFaults([{ kind: 'empty-list' }]),
    code: ExitCode.partial,
    isWhole: false,
    says: tooMany('32'),
  },
  'a change of permissions that hides half of the objects': {
    begin: hideObjects,
    code: ExitCode.partial,
    isWhole: false,
    says: tooMany('\\d+'),
  },
  'a last page that repeats': {
    begin: (simulator) => simulator.setDialect({ pastEnd: 'last-page', total: 'absent' }),
    code: ExitCode.partial,
    isWhole: true,
    says: /objects: paging does not advance: the platform repeats its pages/,
  },
  'a total that is too low': {
    begin: (simulator) => simulator.setDialect({ total: 'low' }),
    code: ExitCode.done,
    isWhole: true,
  },
  'a total that counts the first page only': {
    begin: (simulator) => simulator.setDialect({ total: 'first-page-size' }),
    code: ExitCode.done,
    isWhole: true,
  },
  'a total that is too high': {
    begin: (simulator) => simulator.setDialect({ total: 'high' }),
    code: ExitCode.done,
    isWhole: true,
    says: /object_properties: .*the total promises \d+ more entries than the pages hold/,
  },
};

describe('no row is deleted in', () => {
  it.each(Object.entries(troubles))('%s', async (_, { begin, code, isWhole, says }) => {
    const plant = await openReadPlant();
    const { simulator } = plant;
    begin(simulator);
    // Two scans must miss a row before it is deleted.
    for (let scan = 1; scan <= 2; scan += 1) {
      expect(await sync(plant)).toBe(code);
      expect(await countDeleted(plant)).toEqual({});
    }
    if (isWhole) await expectWholeDirectory(plant);
    if (says !== undefined) expect(await statusOf(plant)).toMatch(says);

    simulator.setFaults([]);
    simulator.setDialect(defaultDialect);
    expect(await sync(plant)).toBe(ExitCode.done);
    await expectWholeDirectory(plant);
    expect(await countDeleted(plant)).toEqual({});
    if (says !== undefined) expect(await statusOf(plant)).not.toMatch(says);
  });
});

const remove = (simulator: Simulator, key: string) =>
  simulator.change({ collection: 'objects', kind: 'remove', key });

async function liveObjects({ databases }: ReadPlant): Promise<string[]> {
  return (await databases.rows(
    'select name from plant.objects where deleted_at is null order by name collate "C"',
  )) as string[];
}

describe('rows whose records are really gone', () => {
  it('are deleted after two scans if they are few, and only if the platform, asked for them, has no more of them', async () => {
    // Without one object, a network shows most other objects at new places. That is many changes.
    const plant = await openReadPlant({ networks: 0 });
    const { simulator, databases } = plant;
    const [gone = '', other = '', unlisted = ''] = namesOf(simulator);
    const [record] = simulator.truth.records('listObjects');
    remove(simulator, gone);
    remove(simulator, other);
    simulator.change({ collection: 'objects', kind: 'update', key: unlisted, change: { listed: false } });

    await sync(plant, 'objects', 'object_properties');
    expect(await liveObjects(plant)).toHaveLength(32);
    simulator.resetRequests();
    await sync(plant, 'objects', 'object_properties');
    expect(await liveObjects(plant)).toEqual([...namesOf(simulator), unlisted].sort());
    const asked = simulator.journal().filter(({ operation }) => operation === 'getObject');
    expect(asked.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? '')).sort()).toEqual(
      [gone, other, unlisted].sort(),
    );
    const properties = await databases.rows(
      `select count(*)::int, count(deleted_at)::int as deleted from plant.object_properties where object in ('${gone}', '${other}')`,
    );
    expect(properties).toEqual([[4, 4]]);
    expect(
      await databases.rows(
        `select before ->> 'show_name' as show_name, key ->> 'name' as name from plantsync.changes
         where table_name = 'objects' and kind = 'deleted' order by name`,
      ),
    ).toContainEqual([record?.showName === undefined ? null : String(record.showName), gone]);

    simulator.change({ collection: 'objects', kind: 'update', key: unlisted, change: { listed: true } });
    simulator.change({ collection: 'objects', kind: 'add', record: { ...record, explain: 'back again' } });
    expect(await sync(plant)).toBe(ExitCode.done);
    expect(await liveObjects(plant)).toHaveLength(31);
    expect(
      await databases.rows(
        `select key ->> 'name' from plantsync.changes where table_name = 'objects' and kind = 'restored'`,
      ),
    ).toEqual([gone]);
    await sync(plant);
    await expectWholeDirectory(plant);
  });

  it('stay where they are many, until somebody says that they are gone', async () => {
    const plant = await openReadPlant();
    const { simulator, run } = plant;
    const all = namesOf(simulator);
    for (const name of all.slice(0, 16)) remove(simulator, name);
    for (let scan = 1; scan <= 3; scan += 1) expect(await sync(plant)).toBe(ExitCode.partial);
    expect(await liveObjects(plant)).toHaveLength(32);
    expect(await statusOf(plant)).toContain('sync objects --accept-deletes');

    expect(await run(['sync', 'objects', '--accept-deletes'])).toMatchObject({ code: 0 });
    expect(await liveObjects(plant)).toEqual(namesOf(simulator).sort());
    // The properties of the objects go with them. Networks that showed the objects must miss them twice.
    for (let scan = 1; scan <= 2; scan += 1) await sync(plant);
    expect(await run(['sync', 'network_nodes', '--accept-deletes'])).toMatchObject({ code: 0 });
    await expectWholeDirectory(plant);
  });
});
