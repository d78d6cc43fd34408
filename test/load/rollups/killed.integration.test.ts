import { expect, test } from 'vitest';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';
import { expectRollups } from './model.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const zone = 'Asia/Kolkata';

/** Opens a plant with two days of points, and a project that keeps them with their rollups. */
async function openPlant() {
  const simulator = await openSimulator({ size: { objects: 0, persons: 0 } });
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
  const points = Array.from({ length: 2_000 }, (_, k): [number, number] => [
    endMs - (2_000 - k) * MINUTE_MS,
    k % 70,
  ]);
  for (const name of ['pump1', 'pump2'])
    simulator.addObject({ name, properties: [{ name: 'temp', points }] });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    platform: { timezone: zone },
    ...{ postgres, streams: onlyStreams('objects', 'object_properties'), alarms: noAlarms },
    runtime: [
      { objects: 'pump*', properties: 'temp', current: false, history: { start: '2d', settle: '0s' } },
    ],
  }));
  expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
  return { ...project, until: (endMs + HOUR_MS) * 1000 };
}

test('a process that is killed in the middle of a load, or of the rollups, leaves no rollup wrong', async () => {
  const { start, run, databases, until } = await openPlant();
  const { db, rows, count } = databases;
  const backfill = ['backfill', '--from', '-2d'];

  /** Kills a backfill while it waits to write to a table. What it wrote before is not committed. */
  async function killAt(table: string): Promise<void> {
    const holder = await db.openSession();
    await holder.query(`begin; lock table ${table} in share mode`);
    const { process, ended } = start(backfill);
    const waits = `select count(*)::int from pg_locks where relation = '${table}'::regclass and not granted`;
    await expect.poll(() => rows(waits), { interval: 20 }).not.toEqual([0]);
    process.kill('SIGKILL');
    await ended;
    await holder.end();
    await expect
      .poll(() => rows(`select count(*)::int from pg_locks where relation = '${table}'::regclass`))
      .toEqual([0]);
  }

  await killAt('plantsync.rollup_marks');
  expect([await count('samples'), await rows('select count(*) from plantsync.rollup_marks')]).toEqual([
    0,
    [0],
  ]);

  await killAt('plant.rollup_daily');
  const marks = await rows('select count(*)::int from plantsync.rollup_marks');
  expect(marks).not.toEqual([0]);
  expect(await count('rollup_hourly')).toBe(0);

  expect(await run(backfill)).toMatchObject({ code: 0 });
  expect(await count('rollup_hourly')).toBeGreaterThan(0);
  await expectRollups(db, { zone, until });
});
