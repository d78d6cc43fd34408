import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RunSummary } from '../../src/sync/summary.ts';
import { startInflux } from '../support/servers-influx.ts';
import { startPostgres } from '../support/servers-postgres.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const hours = Number(process.argv[2] ?? 24);
const MEMORY_SAMPLE_MS = 100;

interface Measured {
  readonly summaries: RunSummary[];
  readonly peakMiB: number;
}

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', main, ...args, '--json', '--log-level', 'warn'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a command to its end, watching the most memory it ever held (Linux). */
async function measure(args: readonly string[], env: Record<string, string>): Promise<Measured> {
  const child = start(args, env);
  let peakMiB = 0;
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peakMiB = Math.max(peakMiB, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
  }, MEMORY_SAMPLE_MS);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  clearInterval(watch);
  return { summaries: (JSON.parse(text) as { streams: RunSummary[] }).streams, peakMiB };
}

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
  const simulator = start(['simulate', '--port', '0', '--size', 'medium']);
  const [line] = (await once(simulator.stdout?.setEncoding('utf8') ?? simulator, 'data')) as [string];
  const { baseUrl, appId, secret } = JSON.parse(line) as Record<'baseUrl' | 'appId' | 'secret', string>;
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
    report('scan', await measure(['sync', 'persons', 'objects', 'object_properties'], base));
    report('backfill into Postgres', await measure(backfill, base));
    report('backfill into InfluxDB', await measure(backfill, { ...base, ...intoInflux }));
  } finally {
    simulator.kill();
    await Promise.all([once(simulator, 'close'), postgres.close(), influx.close()]);
  }
}

await benchPipeline();
