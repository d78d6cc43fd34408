/**
 * `node --import tsx test/bench/year.ts [days]` loads a year of one-minute data of a hundred series, 52
 * million points, into Postgres and InfluxDB at once. It prints how much memory plantsync holds in each tenth
 * of the time.
 */
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { environmentOf, measureProgram, startPlatform } from './program.ts';

const days = Number(process.argv[2] ?? 365);
const tenths = 10;

const [platform, postgres, influx] = await Promise.all([
  startPlatform(['--size', 'medium']),
  startPostgres(),
  startInflux(),
]);
try {
  const env = {
    ...environmentOf(platform, postgres),
    PLANTSYNC_INFLUX__URL: influx.url,
    PLANTSYNC_INFLUX__VERSION: '1',
    PLANTSYNC_INFLUX__DATABASE: 'bench',
    // Every object has this property, with a value each minute.
    PLANTSYNC_RUNTIME: '[{"objects":"*_000??","properties":"sequence"}]',
  };
  await measureProgram(['sync', 'objects', 'object_properties'], env);
  const { summaries, peakMiB, heldMiB } = await measureProgram(
    ['backfill', '--from', `-${days}d`, '--to', '-1h'],
    env,
  );
  for (const { status, points, requests, seconds } of summaries)
    console.log(
      `${days} days: ${status} in ${seconds.toFixed(0)} s, ${Object.entries(points)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(' + ')} points, ${requests} requests, peak ${Math.round(peakMiB)} MiB`,
    );
  const most = Array.from({ length: tenths }, (_, k) =>
    Math.max(
      ...heldMiB.slice(
        Math.floor((heldMiB.length * k) / tenths),
        Math.floor((heldMiB.length * (k + 1)) / tenths),
      ),
    ),
  );
  console.log(
    `most memory held in each tenth of the time, MiB: ${most.map((mib) => Math.round(mib)).join(' ')}`,
  );
} finally {
  await Promise.all([platform.close(), postgres.close(), influx.close()]);
}
