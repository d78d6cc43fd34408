/**
 * `node --import tsx test/bench/scan.ts` measures scans of all objects and their properties. These are the
 * first load, a scan that finds nothing changed, and one that finds a hundredth of the rows changed. Each is
 * compared with a bare loop. The loop sends the same requests at the same concurrency, and parses the
 * replies. Next to the first load stands what its rows cost Postgres alone, from ready files. The platform is
 * a double in a process of its own. Options: `--objects 100000 --properties 20 --latency 10`.
 */
import pMap from 'p-map';
import { Agent, request } from 'undici';
import { platformDefaults } from '../../src/platform/platform-options.ts';
import type { RunSummary } from '../../src/sync/run-summary.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { judge } from './aims/aims.ts';
import type { DoubleSize } from './list-double.ts';
import { loadFromFiles } from './load-from-files.ts';
import { type BenchPlatform, environmentOf, measureProgram, memoryOf } from './program.ts';
import { startDouble } from './start-double.ts';

const size: DoubleSize = {
  objects: Number(argumentOf('--objects') ?? 20_000),
  properties: Number(argumentOf('--properties') ?? 20),
  latencyMs: Number(argumentOf('--latency') ?? 0),
};
const { maxConcurrency, pageSize } = platformDefaults;

/** The cost of one way of scanning. */
interface Scanned {
  readonly seconds: number;
  readonly requests: number;
  /** The number of objects and properties. */
  readonly rows: number;
  /** Processor time of the process that scans, without Postgres and the platform. */
  readonly cpuSec: number;
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
  const usedBefore = process.cpuUsage();
  const objects = await readList('', maxConcurrency);
  let rows = objects.length;
  const readProperties = async (object: string) => {
    const properties = await readList(`/${encodeURIComponent(object)}/properties`, 1);
    rows += properties.length;
  };
  await pMap(objects, readProperties, { concurrency: maxConcurrency });
  const seconds = (performance.now() - begin) / 1000;
  const used = process.cpuUsage(usedBefore);
  await dispatcher.close();
  const cpuSec = (used.user + used.system) / 1e6;
  return { seconds, requests, rows, cpuSec, peakMiB: (await memoryOf(process.pid)).peak };
}

/** Runs `plantsync sync objects object_properties` as users do. */
async function scanByPlantsync(env: Record<string, string>): Promise<Scanned> {
  const measured = await measureProgram(['sync', 'objects', 'object_properties'], env);
  const { summaries: streams, cpuSec, peakMiB } = measured;
  const failed = streams.filter(({ status }) => status !== 'done');
  if (failed.length > 0)
    throw new Error(`the scan failed: ${failed.flatMap(({ problems }) => problems).join('; ')}`);
  const sum = (count: (summary: RunSummary) => number) =>
    streams.reduce((total, each) => total + count(each), 0);
  return {
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    rows: sum(({ records }) => records),
    cpuSec,
    peakMiB,
  };
}

function report(name: string, scan: Scanned, bare?: Scanned): void {
  const { seconds, requests, rows, cpuSec, peakMiB } = scan;
  const perSecond = (amount: number) => Math.round(amount / seconds).toLocaleString('en');
  const times = bare && `, ${(seconds / bare.seconds).toFixed(2)} times the bare loop`;
  console.log(
    `${name}: ${seconds.toFixed(1)} s${times ?? ''}, ${requests} requests (${perSecond(requests)}/s), ` +
      `${rows} rows (${perSecond(rows)}/s), ${((cpuSec / rows) * 1e6).toFixed(1)} µs of processor time per row, ` +
      `peak ${Math.round(peakMiB)} MiB`,
  );
}

/** Judges scans of the size that the aims are for. */
function judgeScans(scans: Record<'firstLoad' | 'rescan' | 'changed', Scanned>, bare: Scanned): void {
  if (size.objects * size.properties < 2e6) return;
  const timesBare = ({ seconds }: Scanned) => seconds / bare.seconds;
  if (size.latencyMs === 0) {
    judge('firstLoad', timesBare(scans.firstLoad));
    judge('rescan', timesBare(scans.rescan));
    judge('scanMemory', Math.max(...Object.values(scans).map(({ peakMiB }) => peakMiB)));
  } else if (size.latencyMs === 10) {
    judge('firstLoadAt10Ms', timesBare(scans.firstLoad));
    judge('rescanAt10Ms', timesBare(scans.rescan));
  }
}

/** Prints all ways. The bare loop runs before and after them, since other work may slow the machine down. */
export async function benchScan(): Promise<void> {
  const platform = await startDouble(size);
  const rows = size.objects * (1 + size.properties);
  console.log(`${rows} rows, latency ${size.latencyMs} ms, at most ${maxConcurrency} requests at once`);
  const postgres = await startPostgres();
  const env = {
    ...environmentOf(platform, postgres),
    PLANTSYNC_STREAMS__OBJECTS: '{details: off}',
  };
  try {
    // The first loop is slower, since nothing is compiled yet.
    await scanBarely(platform);
    const bare = await scanBarely(platform);
    report('bare loop', bare);
    const firstLoad = await scanByPlantsync(env);
    report('first load', firstLoad, bare);
    const floor = await loadFromFiles(postgres);
    console.log(
      `Postgres alone, from files: ${floor.seconds.toFixed(1)} s, ${floor.rows} rows of ledger and data, ` +
        `${(floor.seconds / bare.seconds).toFixed(2)} times the bare loop`,
    );
    const rescan = await scanByPlantsync(env);
    report('unchanged rescan', rescan, bare);
    await platform.change({ changePercent: 1 });
    const changed = await scanByPlantsync(env);
    report('rescan with 1 % changed', changed, bare);
    report('bare loop again', await scanBarely(platform), bare);
    judgeScans({ firstLoad, rescan, changed }, bare);
  } finally {
    await Promise.all([platform.close(), postgres.close()]);
  }
}

await benchScan();
