/**
 * `node --import tsx test/bench/all-series.ts [millions] [URL]` measures the commands that look at all
 * series, or at a few of very many. Two million series have ten fragments of coverage each. The URL is that
 * of an empty database, or of one that this program has filled before. Without a URL, a server is started.
 * The platform is a stub that has no points.
 */
import { silentLog } from '../../src/log.ts';
import { openPostgres, type PostgresOptions } from '../../src/postgres/connect.ts';
import { type StubPlatform, startStubPlatform } from '../support/stub/platform.ts';
import { type AimName, judge } from './aims/aims.ts';
import type { PlantPart } from './large-ledger.ts';
import { environmentOf, type Ran, runMeasured } from './program.ts';
import { fillYear, withServer } from './year-ledger.ts';

const [millions = '2', url] = process.argv.slice(2);
const PROPERTIES = 20;
const few: PlantPart = { prefix: 'few', objects: 80, fragments: 1 };
const many: PlantPart = { prefix: 'many', objects: 5_000, fragments: 1 };
const rest: PlantPart = {
  prefix: 'rest',
  objects: (Number(millions) * 1e6) / PROPERTIES - few.objects - many.objects,
  fragments: 10,
};
/** Requests for history after which a backfill is stopped. */
const REQUESTS = 3_000;

/** Makes a second database on the same server. */
async function makeDatabase(options: PostgresOptions, name: string): Promise<PostgresOptions> {
  const db = openPostgres(options, silentLog);
  try {
    await db.query(`drop database if exists ${name} with (force)`);
    await db.query(`create database ${name}`);
  } finally {
    await db.close();
  }
  const other = new URL(options.url);
  other.pathname = `/${name}`;
  return { ...options, url: other.href };
}

/** Runs a command on a database, with selections. */
function run(
  options: PostgresOptions,
  stub: StubPlatform,
  { args, objects, until }: { args: readonly string[]; objects: string; until?: () => boolean },
): Promise<Ran> {
  const platform = { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret', close: async () => undefined };
  const env = {
    ...environmentOf(platform, { options }),
    // What was stored when the ledger was made counts as up to date for half a day.
    PLANTSYNC_RUNTIME: JSON.stringify([
      { objects, history: { start: '360d', settle: '12h', lookback: '0s' } },
    ]),
  };
  return runMeasured(args, env, until);
}

function report(name: string, { seconds, cpuSec, peakMiB }: Ran): void {
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${cpuSec.toFixed(1)} s of processor time of the program, peak ${Math.round(peakMiB)} MiB`,
  );
}

/** Judges a value in a plant of the size that the aims are for. */
function judgeFull(name: AimName, value: number): void {
  if (Number(millions) >= 2) judge(name, value);
}

async function benchAllSeries(large: PostgresOptions): Promise<void> {
  const small = await makeDatabase(large, 'small_plant');
  // Hardly any two series have the same holes: that is the most work to plan.
  const plant = { propertiesPerObject: PROPERTIES, patterns: 10_000_000 };
  await fillYear(large, { ...plant, parts: [few, many, rest] });
  await fillYear(small, { ...plant, parts: [few] });
  const stub = await startStubPlatform({ current: new Proxy({}, { get: () => 1 }) });
  const history = () => stub.requestsTo('/openapi/objects/v1/properties/history');
  try {
    const ofFew = { objects: 'few-*' };
    for (const [name, args, timeAim, memoryAim] of [
      ['a poll of 1,600 series', ['sync', 'current'], 'poll', 'pollMemory'],
      ['an increment of 1,600 series', ['sync', 'history'], 'increment', 'incrementMemory'],
    ] as const) {
      const inSmall = await run(small, stub, { args, ...ofFew });
      report(`${name}, of 1,600`, inSmall);
      const inLarge = await run(large, stub, { args, ...ofFew });
      report(`${name}, of all`, inLarge);
      judgeFull(timeAim, inLarge.seconds / inSmall.seconds);
      judgeFull(memoryAim, inLarge.peakMiB / inSmall.peakMiB);
    }
    const increment = await run(large, stub, { args: ['sync', 'history'], objects: 'many-*' });
    report('an increment of 100,000 series that are up to date', increment);
    judgeFull('upToDate', increment.seconds);
    const dryRun = await run(large, stub, { args: [...backfill, '--dry-run'], objects: '*' });
    report('a dry run of all', dryRun);
    judgeFull('dryRunMemory', dryRun.peakMiB);
    const before = history().length;
    const startedMs = Date.now();
    const until = () => history().length - before >= REQUESTS;
    const reading = await run(large, stub, { args: backfill, objects: '*', until });
    const firstSec = ((history()[before]?.atMs ?? Number.NaN) - startedMs) / 1000;
    report(`a backfill of all, until ${REQUESTS} requests`, reading);
    console.log(`its first request: after ${firstSec.toFixed(1)} s`);
    judgeFull('backfillBegin', firstSec);
    judgeFull('backfillMemory', reading.peakMiB);
  } finally {
    await stub.close();
  }
}

const backfill = ['backfill', '--from', '-365d', '--to', '-1d'];
await withServer(url, benchAllSeries);
