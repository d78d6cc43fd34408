/**
 * `node --import tsx test/bench/soak.ts [minutes]` runs a scheduler and a worker with very short periods:
 * twenty minutes have as many runs as a day. It prints what they hold meanwhile: memory, keys in Redis,
 * connections to Postgres.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { startRedis } from '../support/servers/redis.ts';
import { addressOf, environmentOf, memoryOf, startPlatform, startProgram } from './program.ts';

const minutes = Number(process.argv[2] ?? 20);

const [platform, postgres, influx, redis] = await Promise.all([
  startPlatform(['--size', 'tiny']),
  startPostgres(),
  startInflux(),
  startRedis(),
]);
const lists = [
  'persons',
  'users',
  'org_trees',
  'org_nodes',
  'objects',
  'object_properties',
  'networks',
  'network_nodes',
];
const env = {
  ...environmentOf(platform, postgres),
  PLANTSYNC_INFLUX__URL: influx.url,
  PLANTSYNC_INFLUX__VERSION: '1',
  PLANTSYNC_INFLUX__DATABASE: 'soak',
  PLANTSYNC_REDIS__URL: redis.url,
  PLANTSYNC_STREAMS: JSON.stringify(Object.fromEntries(lists.map((name) => [name, { every: '30s' }]))),
  PLANTSYNC_RUNTIME: JSON.stringify([
    {
      current: { every: '1s' },
      history: { start: '1h', every: '2s', settle: '1s', sweep: { every: '5m', range: '1h' } },
    },
  ]),
  PLANTSYNC_ALARMS: JSON.stringify({ current: { every: '1s' }, history: { every: '2s', start: '1h' } }),
};
const roles = ['scheduler', 'worker'];
const processes = roles.map((role) => startProgram(['run', '--role', role], env));
const client = new Redis(redis.url);
const db = new pg.Client({ connectionString: addressOf(postgres) });
await db.connect();
try {
  console.log('minute  scheduler MiB  worker MiB  Redis keys  Redis MiB  connections  runs');
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(60_000);
    const held = await Promise.all(processes.map(async ({ pid }) => (await memoryOf(pid)).held));
    const redisMiB = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]) / 2 ** 20;
    const { rows } = await db.query(
      `select (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as connections,
         (select coalesce(max(id), 0) from plantsync.runs) as runs`,
    );
    const numbers = [
      minute,
      ...held.map(Math.round),
      await client.dbsize(),
      redisMiB.toFixed(1),
      rows[0].connections,
      rows[0].runs,
    ];
    console.log(numbers.join('  '));
  }
  const { rows } = await db.query(
    `select stream, kind, status, count(*)::int as runs from plantsync.runs group by 1, 2, 3 order by 1, 2, 3`,
  );
  for (const { stream, kind, status, runs } of rows)
    console.log(`${stream} ${kind}: ${runs} ${status} (the last 1,000 are kept)`);
} finally {
  for (const child of processes) child.kill();
  await Promise.all(processes.map((child) => once(child, 'close')));
  await db.end();
  await client.quit();
  await Promise.all([platform.close(), postgres.close(), influx.close(), redis.close()]);
}
