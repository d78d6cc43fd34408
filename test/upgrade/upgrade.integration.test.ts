import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { makePlantDatabases, type PlantDatabases } from '../support/plant-databases.ts';
import { makeProject, type Project } from '../support/program/plantsync.ts';
import { createDatabase } from '../support/servers/servers.ts';
import { dumpInflux, type InfluxPlace } from './dump-influx.ts';
import { restoreFixture } from './fixture.ts';
import { changePlant, configureUpgrade, END_MS, openUpgradePlant, type UpgradePlant } from './plant.ts';

const VERSION = '0.1.0';
/** The tables to which every command may add. */
const GROWING = [
  'plantsync.migrations',
  'plantsync.stores',
  'plantsync.leases',
  'plantsync.locks',
  'plantsync.services',
  'plantsync.rollup_state',
];
/**
 * The time that every sync reads again: the lookback, the age that data must have, and the second of the end.
 */
const AGAIN_MS = 140_000;
const HISTORY_PATH = /properties\/history$/;

/** Tables of counts, which follow from others and were made by the upgrade. */
const COUNTED = ['choice', 'chosen_series', 'coverage_shapes', 'coverage_shape_changes'].map(
  (name) => `plantsync.${name}`,
);

interface Upgrade {
  readonly project: Project;
  readonly plant: UpgradePlant;
  readonly databases: PlantDatabases;
}

/** Restores the data that version 0.1.0 left. The platform stands at the same instant. */
async function restoreUpgrade(influxHost?: string): Promise<Upgrade> {
  const plant = await openUpgradePlant(startSimulator);
  onTestFinished(() => plant.simulator.close());
  changePlant(plant);
  plant.setClock(END_MS + 1_000);
  plant.simulator.raiseAlarm({ sourceObjName: 'long', sourcePropName: 'hourly', showName: 'waits' });
  const databases = await makePlantDatabases(createDatabase);
  onTestFinished(() => databases.close());
  const { baseUrl, appId, secret } = plant.simulator;
  const { postgres, influx } = databases.sections;
  await restoreFixture(VERSION, {
    platform: baseUrl,
    influx: placeOf(databases),
    postgres,
    ...(influxHost && { influxHost }),
  });
  const places = { platform: { baseUrl, appId, secret }, postgres, influx };
  return { project: makeProject(configureUpgrade(places)), plant, databases };
}

function placeOf({ name, sections }: PlantDatabases): InfluxPlace {
  return { url: sections.influx.url, database: name };
}

/** Expects that every table is as it was, and that tables which came later are empty. */
async function expectUnchanged(upgrade: Upgrade, before: ReadonlyMap<string, string>): Promise<void> {
  const now = await digestTables(upgrade);
  const later = [...now.keys()].filter((table) => !before.has(table)).map((table) => [table, '0 '] as const);
  expect(now).toEqual(new Map([...before, ...later]));
}

/**
 * Counts the rows of every table, and makes a digest of their columns without those that came later. Such
 * columns are null or false at first. Tables to which every command may add are left out.
 */
async function digestTables({ databases }: Upgrade): Promise<Map<string, string>> {
  const tables = (await databases.rows(
    `select format('%I.%I', schemaname, tablename) from pg_tables
     where schemaname in ('plant', 'plantsync') and tablename !~ '_y\\d{4}m\\d\\d$' order by 1`,
  )) as string[];
  const digests = new Map<string, string>();
  for (const table of tables.filter((name) => !GROWING.includes(name) && !COUNTED.includes(name))) {
    const [digest] = await databases.rows(
      `select count(*) || ' ' || coalesce(md5(string_agg(line, e'\\n' order by line)), '')
       from (select jsonb_strip_nulls(to_jsonb(t) - '{lease,dismissed}'::text[])::text as line from ${table} as t) as lines`,
    );
    digests.set(table, String(digest));
  }
  return digests;
}

/** Counts the rows that may not become fewer: stored rows stay, and others may be added. */
async function countKept({ databases }: Upgrade): Promise<number[]> {
  const counts = await databases.rows(
    `select array[(select count(*) from plant.samples), (select count(*) from plant.samples_polled),
       (select count(*) from plant.series), (select count(*) from plant.alarms),
       (select count(*) from plant.alarm_events), (select count(*) from plantsync.changes),
       (select count(*) from plantsync.rejects), (select count(*) from plantsync.coverage)]::int[]`,
  );
  return counts[0] as number[];
}

/** Returns the starts of the windows of history that were asked for, in epoch milliseconds. */
function readFrom({ plant }: Upgrade): number[] {
  return plant.simulator
    .journal()
    .filter(({ path }) => HISTORY_PATH.test(path))
    .map(({ body }) => Date.parse((body as HistoryBody).where.and.timestamp.ge));
}

interface HistoryBody {
  readonly where: { readonly and: { readonly timestamp: { readonly ge: string } } };
}

describe('an upgrade from 0.1.0', () => {
  it('brings the ledger up to date by itself, and loses no row of any table', async () => {
    const upgrade = await restoreUpgrade();
    const before = await digestTables(upgrade);
    expect(before.size).toBeGreaterThan(40);
    const first = await upgrade.project.run(['gaps', '--json']);
    expect([0, 3], first.output).toContain(first.code);
    await expectUnchanged(upgrade, before);
    const counted = await upgrade.databases.rows(
      `select array[(select sum(series) from (
         select store, series from plantsync.coverage_shapes
         union all select store, series from plantsync.coverage_shape_changes) as kept where store <> ''), (select count(*) from plantsync.coverage)]::int[]`,
    );
    const [sums] = counted as number[][];
    expect(sums?.[0], 'all coverage is counted').toBe(sums?.[1]);
    expect(sums?.[0]).toBeGreaterThan(0);
    const migrated = await upgrade.project.run(['migrate', '--json']);
    expect(migrated.code, migrated.output).toBe(0);
    expect(JSON.parse(migrated.stdout)).toMatchObject({ applied: [], views: 'made' });
    expect(JSON.parse(migrated.stdout).indexed).toBeGreaterThan(0);
    expect(JSON.parse((await upgrade.project.run(['migrate', '--json'])).stdout).indexed).toBe(0);
    expect(
      await upgrade.databases.rows('select count(*)::int from bi.tags where object_name is not null'),
    ).toEqual(await upgrade.databases.rows('select count(*)::int from plant.series'));
  });

  it('reads nothing again that either store has, and delivers what waited', async () => {
    const upgrade = await restoreUpgrade();
    const { project, plant, databases } = upgrade;
    const before = await countKept(upgrade);
    const lines = new Set((await dumpInflux(placeOf(databases))).split('\n'));
    plant.simulator.resetRequests();
    const { code, output } = await project.run(['sync']);
    // The name of one object cannot be asked for. The object looks as if it were gone since it was listed.
    expect(code, output).toBe(0);
    expect(output).toMatch(/Boiler2 is gone since objects were listed/);
    const from = readFrom(upgrade);
    expect(from.length).toBeGreaterThan(0);
    expect(from.filter((ms) => ms < END_MS - AGAIN_MS)).toEqual([]);
    const after = await countKept(upgrade);
    for (const [k, count] of before.entries()) expect(after[k]).toBeGreaterThanOrEqual(count);
    const still = new Set((await dumpInflux(placeOf(databases))).split('\n'));
    expect([...lines].filter((line) => !still.has(line))).toEqual([]);
    expect(await databases.rows('select count(*)::int from plantsync.outbox')).toEqual([0]);
  });

  it('makes rollups of all history that is stored', async () => {
    const { project, databases } = await restoreUpgrade();
    const { code, output } = await project.run(['sync', 'history']);
    expect(code, output).toBe(0);
    const state = 'select kept and begun from plantsync.rollup_state';
    const waiting = 'select count(*)::int from plantsync.rollup_backlog';
    expect([await databases.rows(state), await databases.rows(waiting)]).toEqual([[true], [0]]);
    // The hours that are not over have none yet.
    const hours = (from: string) =>
      databases.rows(
        `select array_agg(format('%s %s %s', series_id, hour, points) order by series_id, hour) from (${from}) as h
         where hour < timestamptz 'epoch' + ${END_MS} * interval '1 millisecond' - interval '2 hours'`,
      );
    const made = await hours('select series_id, bucket as hour, count as points from plant.rollup_hourly');
    expect((made[0] as string[]).length).toBeGreaterThan(100);
    expect(made).toEqual(
      await hours(
        `select series_id, date_trunc('hour', at) as hour, count(*) as points from plant.samples group by 1, 2`,
      ),
    );
  });

  it('finds both stores equal to the platform over all that was covered', async () => {
    const { project } = await restoreUpgrade();
    const range = ['--from', '2026-02-16T00:00:00Z', '--to', '2026-05-01T11:00:00Z'];
    const { code, output } = await project.run(['verify', ...range, '--object', 'long', '--property', '*']);
    expect(code, output).toBe(0);
    expect(output).toMatch(/postgres: [\d,]+ points compared; equal/);
    expect(output).toMatch(/influx: [\d,]+ points compared; equal/);
  });

  it('reads nothing again after the host of InfluxDB is renamed and the store adopted', async () => {
    const upgrade = await restoreUpgrade('former.upgrade.test:8086');
    const { project, plant } = upgrade;
    const before = await digestTables(upgrade);
    const refused = await project.run(['sync', 'history']);
    expect(refused.code, refused.output).toBe(2);
    const [, old = ''] = /stores adopt "([^"]+)"/.exec(refused.output) ?? [];
    expect(old).toContain('former.upgrade.test:8086');
    expect(readFrom(upgrade)).toEqual([]);
    await expectUnchanged(upgrade, before);
    const adopted = await project.run(['stores', 'adopt', old]);
    expect(adopted.code, adopted.output).toBe(0);
    plant.simulator.resetRequests();
    const { code, output } = await project.run(['sync', 'history', 'current', 'alarms']);
    expect(code, output).toBe(0);
    expect(readFrom(upgrade).filter((ms) => ms < END_MS - AGAIN_MS)).toEqual([]);
    expect(await upgrade.databases.rows('select count(*)::int from plantsync.outbox')).toEqual([0]);
    const listed = await project.run(['stores']);
    expect(listed.output).toMatch(/configured$/m);
    expect(listed.output).not.toContain('former.upgrade.test');
  });

  it('fills a store that is declared to be new from its start', async () => {
    const upgrade = await restoreUpgrade('former.upgrade.test:8086');
    const added = await upgrade.project.run(['stores', 'add']);
    expect(added.code, added.output).toBe(0);
    const { code, output } = await upgrade.project.run(['sync', 'history']);
    expect(code, output).toBe(0);
    expect(Math.min(...readFrom(upgrade))).toBeLessThan(END_MS - 70 * 86_400_000);
  });

  it('leaves every command working on what is there', async () => {
    const { project } = await restoreUpgrade();
    const status = await project.run(['status', '--json']);
    expect([0, 3], status.output).toContain(status.code);
    expect(status.stdout).toContain('persons');
    const plain: readonly (readonly string[])[] = [
      ['rejects', 'list'],
      ['backfill', '--from', '2026-04-20T00:00:00Z', '--to', '2026-05-01T00:00:00Z', '--dry-run'],
      ['discover'],
      ['call', 'getHealth'],
      ['resume', 'persons'],
      ['reset', 'history', '--platform'],
    ];
    for (const args of plain) {
      const { code, output } = await project.run(args);
      expect(code, `${args.join(' ')}\n${output}`).toBe(0);
    }
    // The clock of the platform stands at the end of the story. `check` finds nothing else.
    const check = await project.run(['check', '--json']);
    const { checks } = JSON.parse(check.stdout) as { checks: { name: string; status: string }[] };
    expect(checks.length).toBeGreaterThan(5);
    expect(
      checks.filter(({ status, name }) => status === 'failed' && !/clock/.test(name)),
      check.output,
    ).toEqual([]);
  });
});
