import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { until } from '../../queue/recorded-job.ts';
import type { PlantDatabases } from '../../support/plant-databases.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { openRedis } from '../../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';

/** The number of finished jobs that `bull-queues.ts` keeps in each queue. */
const keptJobs = 100;
const laterPeriodMs = 2_000;

/** Connects to the queues in Redis, without the service. */
function connectQueues(url: string) {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queues = openQueues({ connection, prefix: 'plantsync' }, (error) => {
    throw error;
  });
  onTestFinished(async () => {
    await closeQueues(queues);
    connection.disconnect();
  });
  return queues;
}

/** Returns the times at which the polls of a process began, in epoch milliseconds. */
async function pollsOf({ rows }: PlantDatabases, pid: number | undefined): Promise<number[]> {
  const begun = await rows(
    `select (extract(epoch from started_at) * 1000)::float8 from plantsync.runs
     where pid = ${pid} and stream = 'current' and kind like 'poll%' order by started_at`,
  );
  return begun.map(Number);
}

it('a schedule that was changed between two starts holds alone, and finished jobs do not pile up', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const simulator = await openSimulator({ size: 'tiny', seed: 9 });
  const sections = (databases: PlantDatabases['sections']) => ({
    ...databases,
    redis: { url: redis.url },
    streams: onlyStreams('objects', 'object_properties'),
  });
  const project = await makeSimulatedProject(simulator, (databases) => ({
    ...sections(databases),
    alarms: { current: { every: '1s' }, history: false },
    runtime: [{ current: { every: '1s' }, history: { start: '5m', every: '1s', sweep: false } }],
  }));
  const { databases } = project;
  const first = project.start(['run']);
  await first.printed(/the service runs/);
  await until(async () => (await pollsOf(databases, first.process.pid)).length >= 3);
  first.process.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });

  project.configure({
    ...sections(databases.sections),
    alarms: noAlarms,
    runtime: [
      {
        current: { every: `${laterPeriodMs / 1000}s` },
        history: { start: '5m', cron: '*/20 * * * * *', sweep: false },
      },
    ],
  });
  const second = project.start(['run']);
  await until(async () => (await pollsOf(databases, second.process.pid)).length >= 4);
  // The first poll is due at once, because polls were missed since the stop.
  const slots = (await pollsOf(databases, second.process.pid))
    .slice(1)
    .map((ms) => Math.floor(ms / laterPeriodMs));
  expect(new Set(slots).size, 'polls have a period each').toBe(slots.length);

  const { live, ...others } = connectQueues(redis.url);
  const queues = [live, ...Object.values(others)];
  const schedulers = (await Promise.all(queues.map((queue) => queue.getJobSchedulers()))).flat();
  expect(Object.fromEntries(schedulers.map(({ key, pattern }) => [key, pattern]))).toEqual({
    'poll-1': `every ${laterPeriodMs} ms`,
    delivery: 'every 2000 ms',
    'increment-1': '*/20 * * * * *',
    'scan-objects': 'every 3600000 ms',
    'scan-object_properties': 'every 3600000 ms',
    rollups: 'every 60000 ms',
  });
  expect(schedulers).toHaveLength(6);
  const turns = (await Promise.all(queues.map((queue) => queue.getDelayed()))).flat().map(({ name }) => name);
  expect(new Set(turns).size, `one turn of each: ${turns.join(' ')}`).toBe(turns.length);

  const opts = schedulers.find(({ key }) => key === 'delivery')?.template?.opts ?? {};
  await live.addBulk(Array.from({ length: 2 * keptJobs }, () => ({ name: 'delivery', data: {}, opts })));
  await until(async () => (await live.getJobCountByTypes('waiting', 'active')) === 0);
  expect(await live.getCompletedCount()).toBe(keptJobs);
  second.process.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
});
