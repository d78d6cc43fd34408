/**
 * `node --import tsx test/bench/scan.ts [--size large] [--latency 10]` measures a scan of all objects and
 * their properties. It compares the scan with a bare loop that sends the same requests at the same
 * concurrency. The simulator is a process of its own.
 */
import pMap from 'p-map';
import { Agent, request } from 'undici';
import { platformDefaults } from '../../src/platform/platform-options.ts';
import type { RunSummary } from '../../src/sync/run-summary.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { type BenchPlatform, environmentOf, measureProgram, memoryOf, startPlatform } from './program.ts';

const size = argumentOf('--size') ?? 'medium';
const latencyMs = Number(argumentOf('--latency') ?? 10);
const { maxConcurrency, pageSize } = platformDefaults;

/** The cost of one way of scanning. */
interface Scanned {
  readonly seconds: number;
  readonly requests: number;
  /** The number of objects and properties. */
  readonly rows: number;
  readonly peakMiB: number;
}

function argumentOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** Sends the requests of a scan and parses the replies, and does nothing else. */
async function scanBarely({ baseUrl, appId, secret }: BenchPlatform): Promise<Scanned> {
  const dispatcher = new Agent({ connections: maxConcurrency });
  const grant = new URLSearchParams({ appid: appId, secret, grantType: 'client_credential' });
  const token = await request(`${baseUrl}/oauth2/client/v1/accessToken?${grant}`, { dispatcher });
  const { accessToken } = (await token.body.json()) as { accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}` };
  let requests = 0;
  const read = async (path: string, page: number) => {
    requests += 1;
    const url = `${baseUrl}/openapi/objects/v1${path}?page=${page}&per_page=${pageSize}`;
    const { body } = await request(url, { dispatcher, headers });
    return JSON.parse(await body.text()) as { list: { name: string }[]; pagination: { total: number } };
  };
  const readList = async (path: string, concurrency: number) => {
    const first = await read(path, 1);
    const others = Array.from({ length: Math.ceil(first.pagination.total / pageSize) - 1 }, (_, k) => k + 2);
    const pages = await pMap(others, (page) => read(path, page), { concurrency });
    return [first, ...pages].flatMap(({ list }) => list.map(({ name }) => name));
  };
  const begin = performance.now();
  const objects = await readList('', maxConcurrency);
  let rows = objects.length;
  const readProperties = async (object: string) => {
    const properties = await readList(`/${encodeURIComponent(object)}/properties`, 1);
    rows += properties.length;
  };
  await pMap(objects, readProperties, { concurrency: maxConcurrency });
  const seconds = (performance.now() - begin) / 1000;
  await dispatcher.close();
  return { seconds, requests, rows, peakMiB: (await memoryOf(process.pid)).peak };
}

/** Runs `plantsync sync objects object_properties` as users do. */
async function scanByPlantsync(env: Record<string, string>): Promise<Scanned> {
  const { summaries: streams, peakMiB } = await measureProgram(['sync', 'objects', 'object_properties'], env);
  const failed = streams.filter(({ status }) => status !== 'done');
  if (failed.length > 0)
    throw new Error(`the scan failed: ${failed.flatMap(({ problems }) => problems).join('; ')}`);
  const sum = (count: (summary: RunSummary) => number) =>
    streams.reduce((total, each) => total + count(each), 0);
  return {
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    rows: sum(({ records }) => records),
    peakMiB,
  };
}

function report(name: string, { seconds, requests, rows, peakMiB }: Scanned): void {
  const perSecond = (amount: number) => Math.round(amount / seconds).toLocaleString('en');
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${requests} requests (${perSecond(requests)}/s), ` +
      `${rows} rows (${perSecond(rows)}/s), peak ${Math.round(peakMiB)} MiB`,
  );
}

/** Prints both ways: the first scan into an empty database, and a scan that finds everything unchanged. */
export async function benchScan(): Promise<void> {
  const fault = `{kind: latency, delayMs: ${latencyMs}}`;
  const platform = await startPlatform(['--size', size, '--fault', fault]);
  console.log(`size ${size}, latency ${latencyMs} ms, at most ${maxConcurrency} requests at once`);
  const postgres = await startPostgres();
  const env = {
    ...environmentOf(platform, postgres),
    PLANTSYNC_STREAMS__OBJECTS: '{details: off}',
  };
  try {
    const bare = await scanBarely(platform);
    report('bare loop', bare);
    for (const name of ['first scan', 'unchanged scan']) {
      const scan = await scanByPlantsync(env);
      report(name, scan);
      console.log(`${name}: ${(scan.seconds / bare.seconds).toFixed(2)} times the bare loop`);
    }
  } finally {
    await Promise.all([platform.close(), postgres.close()]);
  }
}

await benchScan();
