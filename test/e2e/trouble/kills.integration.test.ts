import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { readDatabase } from '../../support/plant-databases.ts';
import { makeProject, type Project, type RunningPlantsync } from '../../support/program/plantsync.ts';
import { openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';
import { startInflux, startPostgres } from '../../support/servers/servers.ts';
import { noAlarms } from '../../support/stream-switches.ts';
import { expectHistory, expectInfluxHistory } from '../../support/truth/simulated-truth.ts';

const kills = 28;
const backMs = 36 * 3_600_000;

/** Creates a source of repeatable numbers from 0 to 1. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A server or process that is killed and started again. */
interface Victim {
  readonly name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Creates a victim from a command, which is started again after each kill. With `goesOn` it is also started
 * again after it ended by itself.
 */
function victimOf(name: string, launch: () => RunningPlantsync, { goesOn }: { goesOn: boolean }) {
  let running: RunningPlantsync | undefined;
  const outputs: string[] = [];
  return {
    name,
    async kill() {
      running?.process.kill('SIGKILL');
      const ended = await running?.ended;
      // A command that ended before the kill has ended by itself. A service may not, whatever else is down.
      if (ended !== undefined && ended.code !== null) outputs.push(`code ${ended.code}: ${ended.output}`);
      if (!goesOn) expect(outputs, name).toEqual([]);
    },
    async start() {
      running = launch();
    },
    running: () => running,
  };
}

async function openPlant() {
  const [postgres, influx, port] = [await startPostgres(), await startInflux(), await freePort()];
  onTestFinished(() => postgres.close());
  onTestFinished(() => influx.close());
  // Equal seeds make equal plants: this plant tells the truth about the plant under test.
  const simulator = await openSimulator({ size: 'tiny', seed: 5 });
  const { appId, secret } = simulator;
  const section = { url: influx.url, version: 1 as const, database: 'plant' };
  const history = { start: '6h', every: '1s', settle: '2s', lookback: '20s' };
  const project = makeProject({
    platform: { baseUrl: `http://127.0.0.1:${port}`, appId, secret, retries: 2 },
    postgres: { url: postgres.url, password: postgres.options.password },
    influx: section,
    alarms: noAlarms,
    runtime: [{ current: { every: '1s' }, history }],
    limits: { rowsPerRead: 600 },
  });
  const simulate = ['simulate', '--size', 'tiny', '--seed', '5', '--port', String(port)];
  const slow = ['--fault', '{kind: latency, operation: readHistory, delayMs: 30}'];
  const platform = victimOf('platform', () => project.start([...simulate, ...slow]), { goesOn: false });
  return { postgres, influx, section, simulator, project, platform };
}

type Plant = Awaited<ReturnType<typeof openPlant>>;

/** Reads the stores by connections of its own, since the server of any older connection was killed. */
async function withStored<T>(
  { postgres, section, simulator }: Plant,
  use: (plant: Parameters<typeof expectInfluxHistory>[0]) => Promise<T>,
): Promise<T> {
  const db = openPostgres(postgres.options, silentLog);
  const sections = { postgres: { url: postgres.url, password: '' }, influx: section };
  try {
    return await use({ simulator, databases: { ...readDatabase(db), sections } });
  } finally {
    await db.close();
  }
}

async function killAround(victims: readonly Victim[], seed: number): Promise<Record<string, number>> {
  const random = randoms(seed);
  const counts: Record<string, number> = {};
  for (let k = 0; k < kills; k += 1) {
    // At first each victim has a turn, so that all are killed. Later victims are random.
    const victim = victims[k < victims.length ? k : Math.floor(random() * victims.length)];
    if (victim === undefined) throw new Error('there is nothing to kill');
    await sleep(200 + random() * 1_500);
    await victim.kill();
    await sleep(random() * 1_200);
    await victim.start();
    counts[victim.name] = (counts[victim.name] ?? 0) + 1;
  }
  return counts;
}

/** Backfills the same range until everything in it is stored. */
async function backfillUntilDone({ run }: Project, args: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { code } = await run(args);
    if (code === 0) return;
    await sleep(1_000);
  }
  expect(await run(args)).toMatchObject({ code: 0 });
}

describe('increments and a backfill, while everything is killed at random', { timeout: 1_200_000 }, () => {
  it('leave every number once in both stores', async () => {
    const plant = await openPlant();
    const { project, platform, postgres, influx } = plant;
    const fromMs = Math.floor((Date.now() - backMs) / 1000) * 1000;
    const backfill = ['backfill', '--from', new Date(fromMs).toISOString()];
    await platform.start();
    await platform.running()?.printed(/the simulated platform is at/);
    expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });

    const service = victimOf('service', () => project.start(['run']), { goesOn: false });
    const filling = victimOf('backfill', () => project.start(backfill), { goesOn: true });
    await service.start();
    await filling.start();
    const stores: Victim[] = [
      { name: 'postgres', kill: () => postgres.kill(), start: () => postgres.start() },
      { name: 'influx', kill: () => influx.kill(), start: () => influx.start() },
    ];
    const counts = await killAround([service, filling, ...stores, platform], 20);
    expect(Object.keys(counts)).toHaveLength(5);
    await service.kill();
    await filling.kill();

    const toMs = Math.floor(Date.now() / 1000) * 1000 - 5_000;
    const whole = [...backfill, '--to', new Date(toMs).toISOString()];
    await backfillUntilDone(project, whole);
    await withStored(plant, async (stored) => {
      expect(await expectHistory(stored, { fromMs, toMs })).toBeGreaterThan(10_000);
      expect(await expectInfluxHistory(stored, { fromMs, toMs })).toBeGreaterThan(10_000);
      // The value of every sample of such a series is its number.
      const rows = await stored.databases.rows(
        `select object, min(value)::float8, max(value)::float8, count(*)::int, count(distinct value)::int as numbers
         from plant.samples join plant.series using (series_id) where property = 'sequence' group by object`,
      );
      expect(rows).not.toEqual([]);
      for (const [object, first, last, count, distinct] of rows as [string, number, number, number, number][])
        expect([object, count, distinct]).toEqual([object, last - first + 1, last - first + 1]);
    });
    expect(await project.run(['gaps', ...whole.slice(1)])).toMatchObject({ code: 0 });
    expect(await project.run(['verify', ...whole.slice(1)])).toMatchObject({ code: 0 });
  });
});
