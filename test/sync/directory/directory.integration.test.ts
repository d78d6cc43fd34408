import { describe, expect, it } from 'vitest';
import type { SimulatorDialect } from '../../../src/simulator/simulator-dialect.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import { problemsOf, syncAll } from '../../support/models/sync-all.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { expectedTables, expectWholeDirectory } from '../../support/truth/directory-truth.ts';

const tiny = { users: 4, orgs: 1, nodesPerOrg: 5, objects: 7, propertiesPerObject: 4, networks: 2 };
/** A small plant with some of everything that is awkward. */
const some = { persons: 30, users: 24, orgs: 2, nodesPerOrg: 7, objects: 30, propertiesPerObject: 14 };

/** Pages are small, so that even lists of a tiny plant have several. */
const smallPages = { platform: { pageSize: 3 } };

const openPlant = (options: SimulatorOptions, config = {}): Promise<SimulatedPlant> =>
  openSimulatedPlant(options, () => config);

/** Tells where each row of each table lies in its file, and who wrote or locked the row last. */
async function traceRows({ databases }: SimulatedPlant): Promise<Map<string, unknown[]>> {
  const traces = new Map<string, unknown[]>();
  for (const table of Object.keys(expectedTables))
    traces.set(
      table,
      await databases.rows(`select ctid::text, xmin::text, xmax::text from plant.${table} order by ctid`),
    );
  return traces;
}

const countChanges = ({ databases }: SimulatedPlant) =>
  databases.rows('select count(*)::int from plantsync.changes');

const countDeleted = ({ databases }: SimulatedPlant) =>
  databases.rows(`select count(*)::int from plantsync.changes where kind = 'deleted'`);

describe('an awkward plant', () => {
  it.each([1, 2])(
    'is in the tables, field by field, and unchanged data costs no write (seed %i)',
    async (seed) => {
      const plant = await openPlant({ size: some, awkward: true, seed });
      expect(problemsOf(await syncAll(plant))).toEqual([]);
      expect(await expectWholeDirectory(plant)).toBeGreaterThan(1_000);
      const [traces, changes] = [await traceRows(plant), await countChanges(plant)];

      const again = await syncAll(plant);
      expect(problemsOf(again)).toEqual([]);
      for (const { stream, inserted, updated, deleted, partRows } of again)
        expect({ stream, inserted, updated, deleted, partRows }).toEqual({
          stream,
          inserted: 0,
          updated: 0,
          deleted: 0,
          partRows: 0,
        });
      expect(await traceRows(plant)).toEqual(traces);
      expect(await countChanges(plant)).toEqual(changes);
      await expectWholeDirectory(plant);
    },
  );

  it('has a value in every column of every table', async () => {
    const plant = await openPlant({
      size: { ...some, persons: 60, users: 50, objects: 60 },
      awkward: true,
      seed: 5,
    });
    await syncAll(plant);
    const empty: string[] = [];
    for (const table of Object.keys(expectedTables)) {
      const columns = (await plant.databases.rows(
        `select column_name::text from information_schema.columns where table_schema = 'plant' and table_name = '${table}'
           and column_name not in ('deleted_at', 'filter', 'extra', 'detail_extra', 'detail_filled')`,
      )) as string[];
      const counts = columns.map((column) => `count("${column}")::int as "${column}"`);
      const { rows } = await plant.databases.db.query<Record<string, number>>(
        `select ${counts.join(', ')} from plant.${table}`,
      );
      empty.push(
        ...columns.filter((column) => rows[0]?.[column] === 0).map((column) => `${table}.${column}`),
      );
    }
    expect(empty).toEqual([]);
  });
});

describe('a malformed plant', () => {
  it.each([1, 2])('gives right rows, or rejects with their reasons (seed %i)', async (seed) => {
    const plant = await openPlant({ size: some, awkward: true, malformed: true, seed });
    const summaries = await syncAll(plant);
    await expectWholeDirectory(plant);
    const { truth } = plant.simulator;
    // Each list has two entries without a usable key: one lacks the key, the other has too long a key.
    const lists = summaries.filter(({ stream }) =>
      ['persons', 'users', 'objects', 'networks'].includes(stream),
    );
    for (const { stream, rejects } of lists) expect([stream, rejects]).toEqual([stream, 2]);
    const reasons = await plant.databases.rows(
      `select reason from plantsync.rejects where stream = 'persons' order by reason`,
    );
    expect(reasons).toEqual([
      expect.stringMatching(/^the entry has no usable name/),
      expect.stringMatching(/^the key of the entry has 10000 bytes/),
    ]);
    const drift = await plant.databases.rows(
      `select stream, table_name, member from plantsync.drift where kind = 'new' and member = 'vendorExtra' order by 1`,
    );
    expect(drift).toContainEqual(['persons', 'persons', 'vendorExtra']);
    expect(drift).toContainEqual(['objects', 'objects', 'vendorExtra']);
    expect(truth.count('listPersons')).toBe(33);
  });
});

const dialects: [name: string, dialect: Partial<SimulatorDialect>][] = [
  ['no pagination at all', { pagination: 'absent' }],
  ['a total on the first page only', { total: 'first-page' }],
  ['a total too high', { total: 'high' }],
  ['a total too low', { total: 'low' }],
  ['smaller pages than asked for', { maxPageSize: 2 }],
  ['the last record again past the end', { pastEnd: 'short' }],
  ['the last page again past the end, and no total', { pastEnd: 'last-page', total: 'absent' }],
  ['a total too low, and the last page again', { pastEnd: 'last-page', total: 'low' }],
];

describe('every table equals the truth in spite of', () => {
  it.each(dialects)('%s', async (_, dialect) => {
    const plant = await openPlant(
      { size: { ...tiny, persons: 11, users: 11, orgs: 2 }, awkward: true, seed: 8, dialect },
      smallPages,
    );
    await syncAll(plant);
    await expectWholeDirectory(plant);
    await syncAll(plant);
    await expectWholeDirectory(plant);
    expect(await countDeleted(plant)).toEqual([0]);
  });

  it('a total that counts the first page only: later scans look beyond it, and no row is deleted', async () => {
    const plant = await openPlant(
      { size: { ...tiny, persons: 11 }, seed: 8, dialect: { total: 'first-page-size' } },
      smallPages,
    );
    // The first scan believes the total, the second finds it wrong, and the third doubts it for all lists
    // alike.
    for (let scan = 1; scan <= 3; scan += 1) await syncAll(plant);
    await expectWholeDirectory(plant);
    expect(await countDeleted(plant)).toEqual([0]);
  });
});
