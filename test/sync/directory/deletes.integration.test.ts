import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/output/exit-code.ts';
import { ExitCode } from '../../../src/errors.ts';
import type { PlantSize } from '../../../src/simulator/plant/size.ts';
import { syncStreams } from '../../../src/sync/once/sync-streams.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

/** Opens a plant whose objects and properties have been read once. */
async function openReadPlant(
  size: Partial<PlantSize>,
  objects: { details: object; filter?: object } = { details: { enabled: false } },
): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant({ size, seed: 4 }, () => ({
    platform: { pageSize: 5 },
    streams: { objects },
  }));
  await sync(plant, 'objects', 'object_properties');
  return plant;
}

const sync = ({ ctx }: SimulatedPlant, ...names: string[]) => syncStreams(ctx, names);

const namesOf = ({ simulator }: SimulatedPlant) =>
  simulator.truth.records('listObjects').map(({ name }) => String(name));

const countAsked = ({ simulator }: SimulatedPlant, operation: string) =>
  simulator.journal().filter((entry) => entry.operation === operation).length;

const unlist = ({ simulator }: SimulatedPlant, key: string) =>
  simulator.change({ collection: 'objects', kind: 'update', key, change: { listed: false } });

const liveObjects = ({ databases }: SimulatedPlant) =>
  databases.rows('select name from plant.objects where deleted_at is null order by name collate "C"');

/** An answer that says no more than that the operation failed. */
const refusal = { kind: 'status', status: 400, code: '800001', message: 'operation failed' } as const;
const refuseObject = (name = '') =>
  ({ ...refusal, operation: 'getObject', match: `/${encodeURIComponent(name)}` }) as const;

const fewObjects = { objects: 12, propertiesPerObject: 2, networks: 0 };

describe('a missing row', () => {
  it('is gone where the platform refuses it and answers for one that it lists', async () => {
    const plant = await openReadPlant(fewObjects);
    const [gone = ''] = namesOf(plant);
    unlist(plant, gone);
    plant.simulator.setFaults([refuseObject(gone)]);
    await sync(plant, 'objects');
    expect(await liveObjects(plant)).toContain(gone);
    await sync(plant, 'objects');
    expect(await liveObjects(plant)).not.toContain(gone);
  });

  it('is looked for in the list once more where the application may not ask for single items', async () => {
    const plant = await openReadPlant(fewObjects);
    const { simulator } = plant;
    const [gone = '', back = ''] = namesOf(plant);
    for (const name of [gone, back]) unlist(plant, name);
    simulator.setFaults([refuseObject()]);
    await sync(plant, 'objects');
    // The objects are listed again at the moment when the platform is first asked for single items.
    let isAsked = false;
    simulator.setFaults([refuseObject(), { kind: 'latency', operation: 'getObject', delayMs: 200 }]);
    const watch = setInterval(() => {
      if (isAsked || countAsked(plant, 'getObject') === 0) return;
      isAsked = true;
      simulator.change({ collection: 'objects', kind: 'update', key: back, change: { listed: true } });
    }, 5);
    simulator.resetRequests();
    try {
      await sync(plant, 'objects');
    } finally {
      clearInterval(watch);
    }
    expect(isAsked).toBe(true);
    expect(await liveObjects(plant)).toEqual(expect.arrayContaining([back]));
    expect(await liveObjects(plant)).not.toContain(gone);
  });

  it('that the platform still has is not asked for again at once, and holds nothing up', async () => {
    const plant = await openReadPlant({ ...fewObjects, objects: 24 });
    const names = namesOf(plant);
    // One more missing row would be too many, if these rows were counted.
    const hidden = names.slice(0, 7);
    for (const name of hidden) unlist(plant, name);
    for (let scan = 1; scan <= 2; scan += 1) await sync(plant, 'objects');
    plant.simulator.resetRequests();
    const [gone = ''] = names.slice(-1);
    plant.simulator.change({ collection: 'objects', kind: 'remove', key: gone });
    for (let scan = 1; scan <= 2; scan += 1) await sync(plant, 'objects');
    expect(countAsked(plant, 'getObject')).toBe(1);
    expect(await liveObjects(plant)).toEqual(names.filter((name) => name !== gone).sort());
  });

  it('of a list that is read again before others are deleted has missed no scan more', async () => {
    const plant = await openReadPlant(fewObjects);
    const { simulator, databases } = plant;
    const [of = ''] = namesOf(plant);
    const properties = (which: string) =>
      databases.rows(
        `select property from plant.object_properties where object = '${of}' and ${which} order by property`,
      );
    const [first = '', second = ''] = (await properties('true')).map(String);
    simulator.change({ collection: 'properties', of, kind: 'remove', key: first });
    await sync(plant, 'object_properties');
    simulator.change({ collection: 'properties', of, kind: 'remove', key: second });
    await sync(plant, 'object_properties');
    expect(await properties('deleted_at is not null')).toEqual([first]);
    expect(await properties('missed_scans = 1')).toEqual([second]);
    await sync(plant, 'object_properties');
    expect(await properties('deleted_at is not null')).toEqual([first, second].sort());
  });
});

it('a small table keeps all its rows in an outage that returns empty lists', async () => {
  const plant = await openReadPlant({ objects: 3, propertiesPerObject: 3, networks: 0 });
  plant.simulator.setFaults([{ kind: 'empty-list', operation: 'listObjectProperties' }]);
  for (let scan = 1; scan <= 3; scan += 1) {
    const [summary] = await sync(plant, 'object_properties');
    expect(summary?.problems.join()).toMatch(/(\d+) of \1 rows are missing .* none is deleted/);
  }
  expect(await plant.databases.rows('select count(deleted_at)::int from plant.object_properties')).toEqual([
    0,
  ]);
});

it('details are read although the platform refuses those of many neighbours', async () => {
  const plant = await openReadPlant({ ...fewObjects, objects: 120 });
  const names = namesOf(plant).sort();
  const refused = names.slice(0, 30);
  plant.simulator.setFaults(refused.map(refuseObject));
  const summaries = await sync(plant, 'object_details');
  expect(exitCodeOf(summaries)).toBe(ExitCode.partial);
  expect(summaries.at(-1)?.problems.at(-1)).toMatch(/10 more/);
  const asked = plant.simulator.journal().filter(({ operation }) => operation === 'getObject');
  expect(new Set(asked.map(({ path }) => path)).size).toBe(names.length);
});
