import { migrate } from '../../../src/ledger/run-migrations.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres, type PostgresOptions } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { TestPostgres } from '../../support/servers/postgres.ts';
import { startStubPlatform } from '../../support/stub/platform.ts';
import { fillLargeLedger } from '../large-ledger.ts';
import { environmentOf, runMeasured } from '../program.ts';
import { startDouble } from '../start-double.ts';
import { type Cost, printTable } from './report.ts';

const PROPERTIES = 20;

/** Runs the work on an empty database of the server, and drops the database. */
export async function withDatabase(
  { options }: TestPostgres,
  work: (options: PostgresOptions) => Promise<void>,
): Promise<void> {
  const db = openPostgres(options, silentLog);
  const other = new URL(options.url);
  other.pathname = '/scaling';
  try {
    await db.query('drop database if exists scaling with (force)');
    await db.query('create database scaling');
    await work({ ...options, url: other.href });
    await db.query('drop database scaling with (force)');
  } finally {
    await db.close();
  }
}

/** Scans of a plant with ever more rows. */
export async function scaleRows(server: TestPostgres, sizes: readonly number[]): Promise<void> {
  const print = printTable('Directory', { grows: 'rows', unit: 'row' });
  for (const size of sizes) {
    const objects = Math.ceil(size / (PROPERTIES + 1));
    const units = objects * (PROPERTIES + 1);
    const platform = await startDouble({ objects, properties: PROPERTIES, latencyMs: 0 });
    await withDatabase(server, async (options) => {
      const env = { ...environmentOf(platform, { options }), PLANTSYNC_STREAMS__OBJECTS: '{details: off}' };
      for (const what of ['first load', 'unchanged rescan'])
        print({ what, size, units, ...(await runMeasured(['sync', 'objects', 'object_properties'], env)) });
    });
    await platform.close();
  }
}

/** Commands that look at all series, which are up to date except for holes. */
export async function scaleSeries(server: TestPostgres, sizes: readonly number[]): Promise<void> {
  const print = printTable('Series (one or ten ranges of coverage each)', {
    grows: 'series',
    unit: 'series',
  });
  for (const size of sizes)
    for (const fragments of [10, 1])
      await measureLedger(server, { series: size, fragments }, (what, units, cost) =>
        print({ what: `${what} (${fragments === 1 ? 'one range' : 'ten ranges'})`, size, units, ...cost }),
      );
}

/** The same commands, with ever more holes in the history of each series. */
export async function scaleFragments(server: TestPostgres, sizes: readonly number[]): Promise<void> {
  const print = printTable('Ranges of coverage (10,000 series)', { grows: 'ranges of each', unit: 'series' });
  for (const size of sizes)
    await measureLedger(server, { series: 10_000, fragments: size }, (what, units, cost) =>
      print({ what, size, units, ...cost }),
    );
}

async function measureLedger(
  server: TestPostgres,
  { series, fragments }: { series: number; fragments: number },
  print: (what: string, units: number, cost: Cost) => void,
): Promise<void> {
  const stub = await startStubPlatform({ current: new Proxy({}, { get: () => 1 }) });
  const platform = { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret', close: () => stub.close() };
  await withDatabase(server, async (options) => {
    const units = await fillLedger(options, { series, fragments });
    const env = {
      ...environmentOf(platform, { options }),
      // What was stored when the ledger was made counts as up to date for half a day. No lookback is read: it
      // would be read again by each increment that a person starts.
      PLANTSYNC_RUNTIME: JSON.stringify([{ history: { start: '365d', settle: '12h', lookback: '0s' } }]),
    };
    const commands: readonly (readonly [string, readonly string[]])[] = [
      ['status', ['status']],
      ['gaps, summed up', ['gaps', '--summary']],
      ['dry run', ['backfill', '--from', '-365d', '--to', '-1d', '--dry-run']],
      ['poll', ['sync', 'current']],
      // Between ranges an increment would read. The ledger begins half a day after the start that is wanted.
      // So the first increment reads half a day of each series.
      ...(fragments === 1
        ? ([
            ['increment, a window of each series', ['sync', 'history']],
            ['increment, nothing new', ['sync', 'history']],
          ] as const)
        : []),
    ];
    for (const [what, args] of commands) print(what, units, await runMeasured(args, env));
  });
  await platform.close();
}

async function fillLedger(
  options: PostgresOptions,
  { series, fragments }: { series: number; fragments: number },
): Promise<number> {
  const db = openPostgres(options, silentLog);
  try {
    await migrate(db, defaultSchemas);
    const toSec = Math.floor(Date.now() / 60_000) * 60;
    return await fillLargeLedger(db, defaultSchemas, {
      parts: [{ prefix: 'machine', objects: Math.ceil(series / PROPERTIES), fragments }],
      propertiesPerObject: PROPERTIES,
      fromSec: toSec - 365 * 86_400,
      toSec,
      patterns: 1_000,
    });
  } finally {
    await db.close();
  }
}
