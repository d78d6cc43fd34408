/**
 * `node --import tsx test/bench/workers.ts` compares equally long backfills by one worker process and by
 * four. The platform takes 100 ms for an answer, and each process has four requests at once. Replies are
 * small, so that the wait for the platform is the limit and not the processor.
 */
import { once } from 'node:events';
import { startPostgres } from '../support/servers/postgres.ts';
import { startRedis } from '../support/servers/redis.ts';
import { environmentOf, measureProgram, startPlatform, startProgram } from './program.ts';

const [platform, postgres, redis] = await Promise.all([
  startPlatform(['--size', 'small', '--fault', '{kind: latency, operation: readHistory, delayMs: 100}']),
  startPostgres(),
  startRedis(),
]);
const env = {
  ...environmentOf(platform, postgres),
  PLANTSYNC_REDIS__URL: redis.url,
  PLANTSYNC_PLATFORM__MAX_CONCURRENCY: '4',
  PLANTSYNC_LIMITS__ROWS_PER_READ: '60',
  PLANTSYNC_RUNTIME: '[{"objects":"*_0000?","current":false}]',
  PLANTSYNC_ALARMS: '{"current":false,"history":false}',
};
const hour = (back: number) => new Date(Math.floor(Date.now() / 3.6e6 - back) * 3.6e6).toISOString();

/** Returns the points per second of a backfill of a day that ends this number of hours ago. */
async function measure(workers: number, endHoursAgo: number): Promise<number> {
  const children = Array.from({ length: workers }, () =>
    startProgram(['run', '--role', 'worker'], { ...env, PLANTSYNC_LOG__LEVEL: 'error' }),
  );
  // The workers share the pieces evenly if all are there when the pieces come.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  try {
    const args = ['backfill', '--on-workers', '--from', hour(endHoursAgo + 24), '--to', hour(endHoursAgo)];
    const { summaries } = await measureProgram(args, env);
    const { status, points = {}, seconds = 0, requests } = summaries[0] ?? {};
    const rate = (points.postgres ?? 0) / seconds;
    console.log(
      `${workers} workers: ${status}, ${points.postgres} points in ${seconds.toFixed(1)} s, ${requests} requests, ${Math.round(rate)} points/s`,
    );
    return rate;
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => once(child, 'close')));
  }
}

try {
  await measureProgram(['sync', 'objects', 'object_properties'], env);
  // All backfills know the density and sizes that this first one learns.
  await measure(1, 400);
  const [one, four] = [await measure(1, 200), await measure(4, 1)];
  console.log(`four workers reach ${(four / one).toFixed(2)} times the rate of one`);
} finally {
  await Promise.all([platform.close(), postgres.close(), redis.close()]);
}
