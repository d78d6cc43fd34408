import { describe, expect, it } from 'vitest';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { syncStreams } from '../../../src/sync/once/sync-streams.ts';
import { deliverPolls } from '../../../src/sync/polls/deliver-polls.ts';
import { pollCurrent } from '../../../src/sync/polls/poll-current.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { sharedInflux } from '../../support/servers/servers.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const points = Array.from(
  { length: 60 },
  (_, k) => [new Date(Date.now() - (90 - k) * 60_000).toISOString(), k] as const,
);

async function ask(statement: string): Promise<string> {
  const body = new URLSearchParams({ q: statement });
  return (await fetch(`${sharedInflux().url}/query`, { method: 'POST', body })).text();
}

const exists = async (name: string) => (await ask('show databases')).includes(`"${name}"`);

/** Opens a small plant with an InfluxDB whose database does not exist yet. */
async function openPlant() {
  const plant = await makeStubPlant(smallPlant(points), ({ postgres, influx }) => ({
    postgres,
    influx,
    alarms: { current: 'off', history: 'off' },
    runtime: [{ history: { start: '2h' } }],
  }));
  return {
    ...plant,
    database: plant.databases.name,
    influx: plant.databases.sections.influx,
    run: (args: string[]) => runCommand(plant.folder, args),
  };
}

const readers = [
  ['check'],
  ['gaps'],
  ['status'],
  ['discover'],
  ['verify', '--from', '-2h'],
  ['backfill', '--from', '-2h', '--dry-run'],
];

describe('a database of InfluxDB that does not exist', () => {
  it('is told with the remedy by every command that only reads, and made by none', async () => {
    const { run, database } = await openPlant();
    for (const args of readers) {
      const { stdout, stderr } = await run(args);
      expect(stdout + stderr, args.join(' ')).toMatch(
        /InfluxDB "test_\w+".*: the database does not exist yet\. plantsync sync makes it, if the name is right: else correct influx\.database/,
      );
      expect(await exists(database), args.join(' ')).toBe(false);
    }
    expect((await run(['check'])).stdout).toMatch(/ok +InfluxDB +InfluxDB "test_/);
    expect((await run(['sync'])).code).toBe(0);
    expect(await exists(database)).toBe(true);
    expect((await run(['check'])).stdout).toMatch(/ok +InfluxDB +.* takes points for/);
  });

  it('fails the check where its name is almost that of another', async () => {
    const { run, database, configure, config } = await openPlant();
    await run(['sync']);
    configure({ ...config, influx: { ...Object(config).influx, database: `${database}x` } });
    const { code, stdout } = await run(['check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`FAILED +InfluxDB .*did you mean "${database}"`));
    expect(await exists(`${database}x`)).toBe(false);
  });

  it('is an error of every command that reads where the ledger says what was in it, until sync has made it again', async () => {
    const { run, database, databases } = await openPlant();
    expect((await run(['sync'])).code).toBe(0);
    await ask(`drop database "${database}"`);
    for (const args of readers) {
      const { code, stdout, stderr } = await run(args);
      expect(stdout + stderr, args.join(' ')).toMatch(
        /the database does not exist, although the ledger says what is stored in it/,
      );
      expect(code, args.join(' ')).toBe(1);
      expect(await exists(database), args.join(' ')).toBe(false);
    }
    expect((await run(['sync'])).code).toBe(0);
    expect((await databases.influxPoints('pump1.temp')).times).toHaveLength(60);
  });

  it('is a store that the ledger does not know: check says so', async () => {
    const { run, configure, config } = await openPlant();
    await run(['sync']);
    const { influx } = Object(config);
    configure({ ...config, influx: { ...influx, url: influx.url.replace('127.0.0.1', 'localhost') } });
    const { code, stdout } = await run(['check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED +InfluxDB +influx: the ledger knows no store .*plantsync stores adopt/);
  });
});

it('a database that is dropped under the service is made by its next write, and filled again', async () => {
  const { ctx, databases, simulator } = await openSimulatedPlant(
    { size: { objects: 0, persons: 0, users: 0, orgs: 0, networks: 0, alarmSources: 0 } },
    ({ influx }) => ({ influx, runtime: [{ history: { start: '2h' } }] as object }),
  );
  const now = Date.now();
  simulator.addObject({
    name: 'pump1',
    properties: [
      {
        name: 'temp',
        persisted: true,
        primitiveType: 'Double',
        points: Array.from({ length: 60 }, (_, k): [number, number] => [now - (70 - k) * 60_000, k]),
      },
    ],
  });
  await syncStreams(ctx, ['objects', 'object_properties']);
  const fill = () => fillHistory(ctx, { mode: 'increment', again: 'lookback' });
  expect((await fill()).status).toBe('done');
  expect((await databases.influxPoints('pump1.temp')).times).toHaveLength(60);
  await ask(`drop database "${databases.name}"`);
  await pollCurrent(ctx);
  expect((await deliverPolls(ctx)).status).toBe('done');
  expect((await databases.influxPoints('pump1.temp', 'runtime_polled')).times).toHaveLength(1);
  expect((await fill()).status).toBe('done');
  expect((await databases.influxPoints('pump1.temp')).times).toHaveLength(60);
});
