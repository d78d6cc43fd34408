/**
 * `node --import tsx test/bench/current-values.ts [--size medium] [--objects '*,…'] [--every 1s]
 * [--seconds 30]` measures polls of the properties of a plant: 18,000 every second with the size `medium`.
 * The values go to Postgres and to InfluxDB. It prints the processor time of the program for each second and
 * each value. It also counts the polls that were left out, and the values that each store has.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { judge } from './aims/aims.ts';
import {
  addressOf,
  cpuSecOf,
  environmentOf,
  measureProgram,
  memoryOf,
  startPlatform,
  startProgram,
} from './program.ts';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: 'medium' },
    objects: { type: 'string', default: '*' },
    every: { type: 'string', default: '1s' },
    seconds: { type: 'string', default: '30' },
    profile: { type: 'string' },
  },
});
const [platform, postgres, influx] = await Promise.all([
  startPlatform(['--size', options.size]),
  startPostgres(),
  startInflux(),
]);
const env = {
  ...environmentOf(platform, postgres),
  PLANTSYNC_INFLUX__URL: influx.url,
  PLANTSYNC_INFLUX__VERSION: '1',
  PLANTSYNC_INFLUX__DATABASE: 'bench',
  PLANTSYNC_RUNTIME: JSON.stringify(
    options.objects
      .split(',')
      .map((objects) => ({ objects, current: { every: options.every }, history: false })),
  ),
  PLANTSYNC_ALARMS: '{"current":false,"history":false}',
  PLANTSYNC_ROLLUPS: 'false',
};
const db = new pg.Pool({ connectionString: addressOf(postgres) });
/** Returns the series, their values so far, the polls that were left out, and what waits for InfluxDB. */
async function count(): Promise<Record<'series' | 'values' | 'waiting' | 'skipped', number>> {
  const { rows } = await db.query(
    `select (select count(*)::int from plant.series) as series,
       (select count(*)::int from plant.samples_polled) as values,
       (select count(*)::int from plantsync.outbox) as waiting,
       (select coalesce(sum((summary->>'skippedPolls')::int), 0)::int from plantsync.runs) as skipped`,
  );
  return rows[0];
}

try {
  await measureProgram(['sync', 'objects', 'object_properties'], env);
  const service = startProgram(['run'], env, 'inherit', options.profile);
  // Before its first poll the service registers the series.
  while ((await count()).values === 0) await sleep(1_000);
  await sleep(10_000);
  const [before, cpuBefore, begin] = [await count(), await cpuSecOf(service.pid), performance.now()];
  await sleep(Number(options.seconds) * 1000);
  const [after, cpuAfter] = [await count(), await cpuSecOf(service.pid)];
  const seconds = (performance.now() - begin) / 1000;
  const { peak } = await memoryOf(service.pid);
  service.kill('SIGTERM');
  await once(service, 'close');
  const values = after.values - before.values;
  const leftOut = after.skipped - before.skipped;
  const secPerValue = (cpuAfter - cpuBefore) / values;
  console.log(
    `${after.series} series: ${values} values in ${seconds.toFixed(1)} s, ${leftOut} polls left out, ${after.waiting} entries wait for InfluxDB: ` +
      `${((cpuAfter - cpuBefore) / seconds).toFixed(2)} s of processor time a second, ${(secPerValue * 1e6).toFixed(1)} µs a value, peak ${Math.round(peak)} MiB`,
  );
  if (options.every === '1s' && after.series >= 18_000) {
    judge('pollCore', 20_000 * secPerValue);
    judge('pollsLeftOut', leftOut);
  }
  if (options.every === '10s' && after.series >= 200_000) judge('largePollsLeftOut', leftOut);
} finally {
  await db.end();
  await Promise.all([platform.close(), postgres.close(), influx.close()]);
}
