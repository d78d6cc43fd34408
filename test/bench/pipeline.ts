import { startInflux } from '../support/servers-influx.ts';
import { startPostgres } from '../support/servers-postgres.ts';
import { type Measured, measureProgram, startPlatform } from './program.ts';

const hours = Number(process.argv[2] ?? 24);

function report(name: string, { summaries, peakMiB }: Measured): void {
  for (const { stream, status, records, points, requests, seconds } of summaries) {
    const written = Object.values(points).reduce((sum, count) => sum + count, 0);
    const what =
      written > 0
        ? `${rate(written, seconds)} points/s (${written})`
        : `${rate(requests, seconds)} requests/s, ${rate(records, seconds)} records/s (${records})`;
    console.log(
      `${name} ${stream}: ${status} in ${seconds.toFixed(1)} s, ${what}, ${requests} requests, peak ${Math.round(peakMiB)} MiB`,
    );
  }
}

function rate(amount: number, seconds: number): string {
  return Math.round(amount / seconds).toLocaleString('en');
}

/** Measures the program as users run it, beside a simulator in a process of its own on the same machine. */
export async function benchPipeline(): Promise<void> {
  const platform = await startPlatform(['--size', 'medium']);
  const { baseUrl, appId, secret } = platform;
  const postgres = await startPostgres();
  const influx = await startInflux();
  const base = {
    PLANTSYNC_PLATFORM__BASE_URL: baseUrl,
    PLANTSYNC_PLATFORM__APP_ID: appId,
    PLANTSYNC_PLATFORM__SECRET: secret,
    PLANTSYNC_POSTGRES__URL: postgres.options.url,
    PLANTSYNC_POSTGRES__PASSWORD: postgres.options.password ?? '',
    PLANTSYNC_RUNTIME: '[{"objects":"*1"}]',
  };
  const intoInflux = {
    PLANTSYNC_INFLUX__URL: influx.url,
    PLANTSYNC_INFLUX__VERSION: '1',
    PLANTSYNC_INFLUX__DATABASE: 'bench',
    PLANTSYNC_POSTGRES__SAMPLES: 'false',
  };
  const backfill = ['backfill', '--from', `-${hours}h`, '--to', '-1h'];
  try {
    report('scan', await measureProgram(['sync', 'persons', 'objects', 'object_properties'], base));
    report('backfill into Postgres', await measureProgram(backfill, base));
    report('backfill into InfluxDB', await measureProgram(backfill, { ...base, ...intoInflux }));
  } finally {
    await Promise.all([platform.close(), postgres.close(), influx.close()]);
  }
}

await benchPipeline();
