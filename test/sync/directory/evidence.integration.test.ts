import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';
import type { StubScript } from '../../support/stub/types.ts';

const PERSONS = '/openapi/persons/v1';
const PROPERTIES = '/openapi/objects/v1/pump1/properties';
const NODES = '/openapi/networks/v1/factory';
const ALARMS = '/openapi/alarms/v1/history';

/** Opens a small plant. A path answers otherwise if a body is given for the path. */
async function openPlant(more: StubScript = {}) {
  const bodies: Record<string, object | undefined> = {};
  const script: StubScript = {
    ...smallPlant(),
    ...more,
    answer: ({ path, token }) => {
      const body = bodies[path];
      return body === undefined || token === undefined ? undefined : { body };
    },
  };
  const plant = await makeStubPlant(script, ({ postgres }) => ({
    postgres,
    streams: { persons: { details: 'off' } },
  }));
  const live = async (table: string) =>
    (await plant.databases.rows(`select count(*)::int from plant.${table} where deleted_at is null`))[0];
  return {
    ...plant,
    bodies,
    live,
    sync: (...names: string[]) => runCommand(plant.folder, ['sync', ...names]),
  };
}

const emptyOf50 = { list: [], pagination: { pageIndex: 1, pageSize: 100, total: 50 } };

describe('a reply that proves nothing', () => {
  it.each([
    ['an empty list whose total promises entries', 'persons', PERSONS, emptyOf50],
    ['an empty list of one row whose total promises entries', 'object_properties', PROPERTIES, emptyOf50],
    ['a network whose nodes are null', 'network_nodes', NODES, { children: null }],
    ['a network with a message', 'network_nodes', NODES, { children: [{ name: 'a' }], message: 'not ready' }],
  ])('is %s: the run is partial each time, and no row is deleted', async (_, stream, path, body) => {
    const { bodies, sync, live } = await openPlant({
      lists: { ...smallPlant().lists, '/openapi/networks/v1': [{ name: 'factory' }] },
      details: { [NODES]: { children: [{ name: 'a' }, { name: 'b' }] } },
    });
    expect((await sync('objects', 'networks', stream)).code).toBe(0);
    const before = await live(stream);
    expect(before).toBeGreaterThan(0);
    bodies[path] = body;
    for (let run = 1; run <= 3; run += 1) {
      const { code, stdout } = await sync(stream);
      expect(stdout).toMatch(/its total says 50|no list "children"|reports no success/);
      expect(code).toBe(3);
      expect(await live(stream)).toBe(before);
    }
    delete bodies[path];
    expect((await sync(stream)).code).toBe(0);
    expect(await live(stream)).toBe(before);
  });

  it('leaves a window of alarms uncovered, and is not asked for in smaller parts', async () => {
    const alarm = {
      sourceObjName: 'pump1',
      sourcePropName: 'temp',
      showName: 'hot',
      alarmType: 'GT',
      priority: 1,
    };
    const startTime = new Date(Date.now() - 3_600_000).toISOString();
    const { bodies, databases, folder, stub } = await openPlant({
      lists: { [ALARMS]: [{ ...alarm, startTime }] },
    });
    const range = ['backfill', '--alarms', '--from', '-2d', '--to', '-30m'];
    bodies[ALARMS] = emptyOf50;
    for (let run = 1; run <= 2; run += 1) {
      const { code, stdout } = await runCommand(folder, range);
      expect(stdout).toMatch(/cannot be read: the list is empty although its total says 50/);
      expect(code).toBe(3);
    }
    expect(stub.requestsTo(ALARMS).length).toBeLessThan(40);
    expect(await databases.rows("select * from plantsync.coverage where stream like 'alarms%'")).toEqual([]);
    delete bodies[ALARMS];
    expect((await runCommand(folder, range)).code).toBe(0);
    expect(await databases.count('alarms')).toBe(1);
  });

  it('clears no alarm', async () => {
    const startTime = new Date(Date.now() - 3_600_000).toISOString();
    const current = '/openapi/alarms/v1/current';
    const { bodies, databases, sync } = await openPlant();
    const hot = {
      sourceObjName: 'pump1',
      sourcePropName: 'temp',
      showName: 'hot',
      alarmType: 'GT',
      startTime,
      status: 1,
    };
    bodies[current] = { list: [hot, { ...hot, showName: 'wet' }] };
    expect((await sync('alarms')).code).toBe(0);
    bodies[current] = { list: [hot], message: 'the alarm server is restarting' };
    for (let run = 1; run <= 3; run += 1) {
      const { code, stdout } = await sync('alarms');
      expect(stdout).toMatch(/a message that reports no success came with the entries/);
      expect(code).toBe(3);
    }
    const active = 'select count(*)::int from plant.alarms where is_active';
    expect(await databases.rows(active)).toEqual([2]);
    bodies[current] = { list: [hot] };
    await sync('alarms');
    await sync('alarms');
    expect(await databases.rows(active)).toEqual([1]);
  });
});
