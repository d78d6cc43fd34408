import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startInflux } from '../support/servers/influx.ts';
import { makeDatabase, startPostgres, type TestDatabase } from '../support/servers/postgres.ts';
import { dumpDatabase } from './dump-database.ts';
import { dumpInflux } from './dump-influx.ts';
import { keepFixture, runSql } from './fixture.ts';
import { BEGIN_MS, changePlant, configureUpgrade, END_MS, openUpgradePlant } from './plant.ts';

const SCHEMAS = ['plant', 'plantsync'];
const HOUR_MS = 3_600_000;

/**
 * Makes the fixture of a version: `node --import tsx test/upgrade/make-fixture.ts CHECKOUT`. CHECKOUT is a
 * folder with that version, built by `npm run build`. The program of that version reads the platform of its
 * own simulator. The data that it leaves is written to the fixture.
 */
async function makeFixture(checkout: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
    version: string;
  };
  const { startSimulator } = await import(pathToFileURL(join(checkout, 'dist/src/simulator/server.js')).href);
  const [server, influx] = [await startPostgres(), await startInflux()];
  const folder = await mkdtemp(join(tmpdir(), 'plantsync-fixture-'));
  const plant = await openUpgradePlant(startSimulator);
  const { baseUrl, appId, secret } = plant.simulator;
  const database = await makeDatabase(server.options);
  const place = { url: influx.url, database: 'upgrade_database' };
  const config = configureUpgrade({
    platform: { baseUrl, appId, secret },
    postgres: database.options,
    influx: { ...place, version: 1 },
  });
  await writeFile(join(folder, 'plantsync.yaml'), JSON.stringify(config));
  const run = openRunner(join(checkout, 'dist/src/main.js'), folder);
  try {
    await run('sync');
    await run('backfill', '--from', atText(END_MS - 96 * HOUR_MS), '--to', atText(END_MS - 94 * HOUR_MS));
    plant.setClock(BEGIN_MS + 300_000);
    changePlant(plant);
    await run('sync');
    await run('sync');
    plant.setClock(END_MS);
    await run('sync');
    await run('verify', '--from', atText(END_MS - HOUR_MS), '--to', atText(END_MS));
    await run('pause', 'persons');
    const lines = await dumpInflux(place);
    await influx.stop();
    // InfluxDB is stopped: from here on polls and events of alarms wait.
    plant.setClock(END_MS + 1_000);
    plant.simulator.raiseAlarm({ sourceObjName: 'long', sourcePropName: 'hourly', showName: 'waits' });
    await run('sync', 'current', 'alarms');
    const sql = await dumpAll(database);
    await mkdir(new URL(version, import.meta.url), { recursive: true });
    await keepFixture(version, { sql, lines }, { platform: baseUrl, influx: place });
    await proveWhole(database, await makeDatabase(server.options), sql);
  } finally {
    await plant.simulator.close();
    await influx.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates a function that runs the program. Exit code 3 is allowed, since some entries of the platform are
 * refused.
 */
function openRunner(program: string, cwd: string): (...args: string[]) => Promise<void> {
  return async (...args) => {
    const ended = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd,
      maxBuffer: 2 ** 26,
    }).catch((error: { code?: number; stdout: string; stderr: string }) => error);
    process.stdout.write(`plantsync ${args.join(' ')}\n${ended.stdout}\n`);
    if ('code' in ended && ended.code !== 3) throw new Error(`plantsync ${args[0]} failed: ${ended.stderr}`);
  };
}

/** Restores the dump, dumps the restored database, and compares both. */
async function proveWhole(from: TestDatabase, to: TestDatabase, sql: string): Promise<void> {
  await runSql(to.options, sql);
  const [again, still] = [await dumpAll(to), await dumpAll(from)];
  if (still !== sql) throw new Error('the database changed while it was written down');
  if (again !== sql) throw new Error('the restored database is another one');
}

async function dumpAll({ options: { url, password } }: TestDatabase): Promise<string> {
  const address = new URL(url);
  address.searchParams.set('password', password ?? '');
  const db = new Client({ connectionString: address.href });
  await db.connect();
  try {
    return await dumpDatabase(db, SCHEMAS);
  } finally {
    await db.end();
  }
}

function atText(ms: number): string {
  return new Date(ms).toISOString();
}

await makeFixture(resolve(process.argv[2] ?? '.'));
