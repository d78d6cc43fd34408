import { expect, it, onTestFinished } from 'vitest';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { openRedis } from '../../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';

const requestsPerSecond = 10;
const enough = 8 * requestsPerSecond;

/**
 * Returns the largest number of times that are within any range of this many seconds. Times are ascending
 * milliseconds.
 */
function countMost(times: readonly number[], seconds: number): number {
  const within = times.map((from, k) => times.slice(k).filter((ms) => ms < from + seconds * 1000).length);
  return Math.max(...within);
}

it('all processes together keep to one budget of requests, also when they have waited for a token', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const times: number[] = [];
  const simulator = await openSimulator({
    size: 'tiny',
    seed: 5,
    tokenLifetimeSec: 8,
    onRequest: () => times.push(performance.now()),
  });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    platform: { requestsPerSecond },
    redis: { url: redis.url },
    alarms: noAlarms,
    streams: onlyStreams('objects', 'object_properties'),
    runtime: [{ current: { every: '1s' }, history: { every: '1h' } }],
    limits: { rowsPerRead: 100 },
  }));
  const services = [1, 2, 3].map(() => project.start(['run']));
  await Promise.all(services.map((service) => service.printed(/the service runs/)));
  await expect.poll(() => project.databases.count('current_values')).toBeGreaterThan(0);
  project.start(['backfill', '--from', '-20d', '--to', '-2h', '--on-workers']);
  simulator.setFaults([{ kind: 'latency', operation: 'refreshClientToken', delayMs: 3_000 }]);
  const before = times.length;
  await expect.poll(() => times.length - before).toBeGreaterThan(enough);

  const takers = "select count(distinct pid)::int from plantsync.runs where kind = 'piece'";
  const countTakers = async () => (await project.databases.rows(takers))[0];
  await expect.poll(countTakers, { message: 'processes that took part' }).toBeGreaterThan(1);
  for (const seconds of [1, 2, 4, 8])
    expect(countMost(times, seconds), `in ${seconds} s`).toBeLessThanOrEqual(
      requestsPerSecond * (seconds + 1),
    );
});
