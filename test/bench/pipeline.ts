import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { request } from 'undici';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import type { FloorResult, FloorTask } from './floor.ts';
import { addressOf, environmentOf, type Measured, measureProgram, startPlatform } from './program.ts';

const hours = Number(process.argv[2] ?? 24);

/** The number of windows that plantsync reads at once. */
const WINDOWS_AT_ONCE = 8;

function report(name: string, { summaries, peakMiB, cpuSec }: Measured): void {
  for (const { stream, status, records, points, requests, seconds } of summaries) {
    const written = Object.values(points).reduce((sum, count) => sum + count, 0);
    const what =
      written > 0
        ? `${rate(written, seconds)} points/s (${written})`
        : `${rate(requests, seconds)} requests/s, ${rate(records, seconds)} records/s (${records})`;
    console.log(
      `${name} ${stream}: ${status} in ${seconds.toFixed(1)} s, ${what}, ${requests} requests, ${cpuSec.toFixed(1)} s of processor time, peak ${Math.round(peakMiB)} MiB`,
    );
  }
}

function rate(amount: number, seconds: number): string {
  return Math.round(amount / seconds).toLocaleString('en');
}

/** Measures the program as users run it. A simulator runs in a process of its own on the same machine. */
export async function benchPipeline(): Promise<void> {
  const platform = await startPlatform(['--size', 'medium']);
  const { baseUrl } = platform;
  const postgres = await startPostgres();
  const influx = await startInflux();
  const base = {
    ...environmentOf(platform, postgres),
    PLANTSYNC_RUNTIME: '[{"objects":"*1"}]',
  };
  const intoInflux = {
    PLANTSYNC_INFLUX__URL: influx.url,
    PLANTSYNC_INFLUX__VERSION: '1',
    PLANTSYNC_INFLUX__DATABASE: 'bench',
    PLANTSYNC_POSTGRES__SAMPLES: 'false',
  };
  const backfill = ['backfill', '--from', `-${hours}h`, '--to', '-1h'];
  const address = addressOf(postgres);
  const db = new pg.Pool({ connectionString: address });
  try {
    report('scan', await measureProgram(['sync', 'persons', 'objects', 'object_properties'], base));
    const forget = () => request(`${baseUrl}/simulator/requests`, { method: 'DELETE' });

    await forget();
    const rows = await measureProgram(backfill, base);
    report('backfill into Postgres', rows);
    const series = await db.query<{ name: string; series_id: number }>(
      `select object || '.' || property as name, series_id::int from plant.series`,
    );
    await db.query('truncate plant.samples; checkpoint');
    const postgresTask = {
      ...{ platform, requests: await readHistoryRequests(baseUrl), atOnce: WINDOWS_AT_ONCE },
      postgres: {
        url: address,
        table: 'plant.samples',
        ids: Object.fromEntries(series.rows.map(({ name, series_id }) => [name, series_id])),
      },
    };
    compare('Postgres', rows, await measureFloor(postgresTask));

    await forget();
    const lines = await measureProgram(backfill, { ...base, ...intoInflux });
    report('backfill into InfluxDB', lines);
    await request(`${influx.url}/query?q=CREATE+DATABASE+floor`, { method: 'POST' });
    const influxTask = {
      ...{ platform, requests: await readHistoryRequests(baseUrl), atOnce: WINDOWS_AT_ONCE },
      influx: { url: influx.url, database: 'floor' },
    };
    compare('InfluxDB', lines, await measureFloor(influxTask));
  } finally {
    await db.end();
    await Promise.all([platform.close(), postgres.close(), influx.close()]);
  }
}

interface HistoryBody {
  readonly select: readonly string[];
  readonly where: { readonly and: { readonly timestamp: { readonly ge: string; readonly lt: string } } };
}

/**
 * Reads the requests for history that the simulator answered since its journal was cleared. A request for a
 * part of an earlier window repeats the earlier request.
 */
async function readHistoryRequests(baseUrl: string): Promise<FloorTask['requests']> {
  const { body } = await request(`${baseUrl}/simulator/journal?limit=20000`);
  const entries = (await body.json()) as { path: string; body: HistoryBody }[];
  const bodies = entries.filter(({ path }) => path.endsWith('/properties/history')).map((each) => each.body);
  return bodies.map((each, k) => ({
    body: JSON.stringify(each),
    repeats: bodies.slice(0, k).some((earlier) => isPartOf(each, earlier)),
  }));
}

function isPartOf(part: HistoryBody, whole: HistoryBody): boolean {
  const [{ ge, lt }, all] = [part.where.and.timestamp, whole.where.and.timestamp];
  const names = new Set(whole.select);
  return ge >= all.ge && lt <= all.lt && part.select.every((name) => names.has(name));
}

async function measureFloor(task: FloorTask): Promise<FloorResult> {
  const script = fileURLToPath(new URL('./floor.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(task));
  return (await json(child.stdout)) as FloorResult;
}

function compare(store: string, { summaries }: Measured, floor: FloorResult): void {
  const points = summaries.reduce(
    (sum, each) => sum + Object.values(each.points).reduce((a, b) => a + b, 0),
    0,
  );
  const seconds = summaries.reduce((sum, each) => sum + each.seconds, 0);
  const share = points / seconds / (floor.points / floor.seconds);
  console.log(
    `the barest script into ${store}: ${rate(floor.points, floor.seconds)} points/s (${floor.points} in ${floor.seconds.toFixed(1)} s, ${floor.cpuSec.toFixed(1)} s of processor time); ` +
      `plantsync reaches ${share.toFixed(2)} of it`,
  );
}

await benchPipeline();
