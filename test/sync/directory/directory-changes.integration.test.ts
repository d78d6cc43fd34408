import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStep, type Round, rememberRecords, rounds } from '../../support/models/random-changes.ts';
import { problemsOf, syncAll } from '../../support/models/sync-all.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { expectedTables, expectWholeDirectory } from '../../support/truth/directory-truth.ts';
import { keyedRows, keyOf } from '../../support/truth/truth-reader.ts';

const size = {
  ...{ persons: 5, users: 4, orgs: 2, nodesPerOrg: 4 },
  ...{ objects: 5, propertiesPerObject: 3, networks: 2, alarmSources: 0 },
};

interface ChangingPlant extends SimulatedPlant {
  /** Runs scans, and makes changes while they run. */
  readonly syncDuring: (during: Round['during']) => Promise<void>;
}

async function openChangingPlant(): Promise<ChangingPlant> {
  let onRequest = () => {};
  const plant = await openSimulatedPlant({ size, onRequest: () => onRequest() }, () => ({
    platform: { pageSize: 3, retries: 1 },
    limits: { maxDeleteShare: 1 },
  }));
  const syncDuring = async (during: Round['during']) => {
    let requests = 0;
    onRequest = () => {
      requests += 1;
      for (const { afterRequests, step } of during)
        if (afterRequests === requests) applyStep(plant.simulator, step);
    };
    await syncAll(plant);
    onRequest = () => {};
  };
  return { ...plant, syncDuring };
}

type Rows = Map<string, Record<string, unknown>>;

/** Reads all rows of a table by key, also deleted ones, in the form that `plantsync.changes` keeps. */
async function readRows({ databases }: SimulatedPlant, table: string): Promise<Rows> {
  const rows = (await databases.rows(
    `select to_jsonb(t) - array['missed_scans', 'filter', 'detail_filled'] from plant.${table} t`,
  )) as Record<string, unknown>[];
  return byKey(table, rows);
}

/** Works out backwards, from the present rows, which rows a table held at a time. */
async function rewind({ databases, ...plant }: SimulatedPlant, table: string, atUs: number): Promise<Rows> {
  const now = await readRows({ databases, ...plant }, table);
  const born = (await databases.rows(
    `select to_jsonb(t) from plant.${table} t where first_seen_at > to_timestamp(${atUs} / 1e6)`,
  )) as Record<string, unknown>[];
  for (const key of byKey(table, born).keys()) now.delete(key);
  const changes = (await databases.rows(
    `select before from plantsync.changes where table_name = '${table}' and at > to_timestamp(${atUs} / 1e6) order by id desc`,
  )) as Record<string, unknown>[];
  for (const before of changes)
    for (const [key, row] of byKey(table, [before])) if (now.has(key)) now.set(key, row);
  return now;
}

function byKey(table: string, rows: readonly Record<string, unknown>[]): Rows {
  const { key } = expectedTables[table] as (typeof expectedTables)[string];
  return new Map(rows.map((row) => [keyOf(row, key), row]));
}

function expectedKeys({ simulator }: SimulatedPlant, table: string): string[] {
  const { key, rows } = expectedTables[table] as (typeof expectedTables)[string];
  return keyedRows(rows(simulator.truth), key).map((row) => keyOf(row, key));
}

async function expectAllToFollow(plan: readonly Round[]): Promise<void> {
  const plant = await openChangingPlant();
  const tables = Object.keys(expectedTables);
  expect(problemsOf(await syncAll(plant))).toEqual([]);
  await expectWholeDirectory(plant);
  const keys = new Map(tables.map((table) => [table, expectedKeys(plant, table)]));
  const before = new Map<string, Rows>();
  for (const table of tables) before.set(table, await readRows(plant, table));
  const atUs = Number((await plant.databases.rows('select extract(epoch from clock_timestamp()) * 1e6'))[0]);

  const bringBack = rememberRecords(plant.simulator);
  for (const round of plan) {
    for (const step of round.before) applyStep(plant.simulator, step);
    await plant.syncDuring(round.during);
  }
  // The first scan sees the last changes, and which rows are missing. The second sees that they are still
  // missing.
  for (let scan = 1; scan <= 2; scan += 1) await syncAll(plant);
  await expectWholeDirectory(plant);
  for (const table of tables.filter((name) => name !== 'roles')) {
    const rows = await readRows(plant, table);
    const now = new Set(expectedKeys(plant, table));
    for (const key of keys.get(table) ?? [])
      expect([key, rows.get(key)?.deleted_at === null], table).toEqual([key, now.has(key)]);
  }
  // An object that is back changes the networks too, so some rows are missing again.
  bringBack(plant.simulator);
  for (let scan = 1; scan <= 2; scan += 1) await syncAll(plant);
  await expectWholeDirectory(plant);
  for (const table of tables)
    expect(await rewind(plant, table, atUs), `${table} at the start`).toEqual(before.get(table));
}

describe('after any changes between and during scans', () => {
  it.each([1, 2])(
    'every table equals the truth, what is gone is deleted softly, and the changes tell what was (seed %i)',
    async (seed) => {
      await fc.assert(fc.asyncProperty(rounds, expectAllToFollow), { seed, numRuns: 2, endOnFailure: true });
    },
    600_000,
  );
});
