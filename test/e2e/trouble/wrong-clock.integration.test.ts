import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { until } from '../../queue/recorded-job.ts';
import { openFalseClock } from '../../support/false-clock.ts';
import type { RunningPlantsync } from '../../support/program/plantsync.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { startRedis } from '../../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';

/** The next turn is due within the period of the polls, and the time that the test takes to look. */
const FARTHEST_MS = 10_000;

async function openPlant(more: object = {}): Promise<SimulatedProject> {
  const simulator = await openSimulator({ size: 'tiny', seed: 11 });
  return makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    ...more,
    alarms: noAlarms,
    streams: { ...onlyStreams('objects'), object_properties: { every: '6h' } },
    runtime: [{ current: { every: '1s' }, history: { start: '5m', every: '2s', sweep: false } }],
  }));
}

/** Counts the polls and increments of a process that have succeeded. */
async function countRuns({ databases }: SimulatedProject, { process }: RunningPlantsync) {
  const counts = await databases.rows(
    `select concat(count(*) filter (where stream = 'current'), ' ', count(*) filter (where stream = 'history'))
     from plantsync.runs where status = 'done' and pid = ${process.pid}`,
  );
  return String(counts[0]).split(' ').map(Number) as [polls: number, increments: number];
}

/** Waits until a process has done some more polls and increments. */
async function expectAtWork(plant: SimulatedProject, running: RunningPlantsync, runs = 2): Promise<void> {
  await running.printed(/the service runs/);
  const [polls, increments] = await countRuns(plant, running);
  await until(async () => {
    const now = await countRuns(plant, running);
    return now[0] >= polls + runs && now[1] >= increments + 1;
  });
}

async function newestValue({ databases }: SimulatedProject): Promise<number> {
  const [ms] = await databases.rows(
    'select (extract(epoch from max(at)) * 1000)::float8 from plant.current_values',
  );
  return Number(ms);
}

function openQueuesOf(url: string) {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queues = openQueues({ connection, prefix: 'plantsync' }, () => undefined);
  onTestFinished(async () => {
    await closeQueues(queues);
    connection.disconnect();
  });
  /** Returns how far ahead the next turn of a poll or an increment is, in milliseconds. */
  const farthestMs = async () => {
    const found = (
      await Promise.all([queues.live, queues.sync].map((queue) => queue.getJobSchedulers()))
    ).flat();
    const often = found.filter(({ pattern }) => pattern?.match(/^every \d{4} ms$/));
    expect(often.length).toBeGreaterThan(0);
    return Math.max(...often.map(({ next = 0 }) => next - Date.now()));
  };
  return { farthestMs };
}

describe('a clock that is an hour ahead', () => {
  it('of one worker moves the turns of no other', async () => {
    const [redis, clock] = await Promise.all([startRedis(), openFalseClock()]);
    onTestFinished(() => Promise.all([redis.close(), clock.close()]).then(() => undefined));
    const plant = await openPlant({ redis: { url: redis.url } });
    const scheduler = plant.start(['run', '--role', 'scheduler']);
    await scheduler.printed(/schedules were changed/);
    const right = plant.start(['run', '--role', 'worker']);
    await expectAtWork(plant, right);
    clock.set('+1h');
    const wrong = plant.start(['run', '--role', 'worker'], clock.env);
    const { farthestMs } = openQueuesOf(redis.url);
    await expectAtWork(plant, wrong, 5);
    expect(await farthestMs(), 'while it is at work').toBeLessThan(FARTHEST_MS);
    wrong.process.kill('SIGKILL');
    await expectAtWork(plant, right);
    expect(await farthestMs(), 'afterwards').toBeLessThan(FARTHEST_MS);
    expect(await newestValue(plant)).toBeLessThan(Date.now() + FARTHEST_MS);
  });

  it('of a service without Redis keeps nothing waiting when it is put right', async () => {
    const clock = await openFalseClock();
    onTestFinished(() => clock.close());
    const plant = await openPlant();
    const service = plant.start(['run'], clock.env);
    await expectAtWork(plant, service);
    clock.set('+1h');
    await service.printed(/the clock was put forward by 3600 s/);
    await expectAtWork(plant, service);
    clock.set('+0');
    await service.printed(/the clock was put back by 3600 s: schedules are made again/);
    await expectAtWork(plant, service);
    const newest = await newestValue(plant);
    expect(newest).toBeLessThan(Date.now() + FARTHEST_MS);
    await until(async () => (await newestValue(plant)) > newest);
  });
});
