import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { makeTables } from '../../../src/cli/open/make-tables.ts';
import { ensureViews } from '../../../src/cli/open/open-views.ts';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres, type PostgresOptions } from '../../../src/postgres/connect.ts';
import type { InstalledBinaries } from '../../../src/postgres/embedded/binaries.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/postgres/embedded/start-embedded.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { loadPlainConfig } from '../plain-config.ts';
import { type Disk, mountDisk } from './disk.ts';
import { keepOpen, makeFolder, type TestServer } from './process.ts';

const run = promisify(execFile);

/** The address of a server, and a user who may make databases. */
export interface PostgresAccess {
  readonly url: string;
  readonly password?: string | undefined;
}

/** A PostgreSQL server of one test. */
export interface TestPostgres extends TestServer {
  readonly options: PostgresOptions;
  /** The folder of the server's files. */
  readonly home: string;
  /** The small disk of the server. Undefined if the server shares a disk. */
  readonly disk: Disk | undefined;
  /** Stops the server and all its sessions where they stand, as on a machine that is overloaded. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Test data need not survive a crash of the machine. It does survive a crash of the server. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '200' };

/**
 * Returns the programs of another version of PostgreSQL, if PLANTSYNC_TEST_POSTGRES_BINARIES names their
 * folder, which has `bin`.
 */
function namedBinaries(): InstalledBinaries | undefined {
  const native = process.env.PLANTSYNC_TEST_POSTGRES_BINARIES;
  return native === undefined || native === '' ? undefined : { native, version: 'named' };
}

/** Starts a PostgreSQL server from the embedded binaries, or a replica of a server. */
export async function startPostgres({
  ownDisk = false,
  replicaOf,
}: {
  ownDisk?: boolean;
  replicaOf?: TestPostgres;
} = {}): Promise<TestPostgres> {
  const folder = await makeFolder('postgres');
  const disk = ownDisk ? await mountDisk(folder) : undefined;
  if (replicaOf !== undefined) await copyServer(replicaOf, join(folder, 'postgres'));
  const open = (): Promise<EmbeddedServer> =>
    startEmbedded({
      ...{ dataDir: join(folder, 'postgres'), roots: [folder], log: silentLog, settings },
      installed: namedBinaries(),
    });
  let server = await open();
  const stop = (): Promise<void> => server.stop();
  return keepOpen({
    pause: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    url: server.url,
    home: server.home,
    disk,
    options: { url: server.url, password: server.password },
    stop,
    async kill() {
      await signalAll(server, 'SIGKILL');
      await stop();
    },
    signal: (signal) => signalAll(server, signal),
    async start() {
      await stop();
      server = await open();
    },
    async close() {
      await stop();
      await disk?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/**
 * Copies the files of a server for a replica of it. The server is stopped meanwhile, because the embedded
 * binaries have no program that copies a server that runs.
 */
async function copyServer(primary: TestPostgres, home: string): Promise<void> {
  await primary.stop();
  await run('cp', ['-a', primary.home, home]);
  await primary.start();
  await rm(join(home, 'port'), { force: true });
  const { port, username } = new URL(primary.url);
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${primary.options.password}`;
  const data = join(home, 'data');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  const signal = join(data, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(data);
  await chown(signal, uid, gid);
}

/**
 * Sends a signal to the postmaster and its sessions. Sessions would answer for a moment after their
 * postmaster's death.
 */
async function signalAll(server: EmbeddedServer, signal: NodeJS.Signals): Promise<void> {
  for (const pid of [server.pid, ...(await childrenOf(server.pid))]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // The session has ended by itself.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Lists the child processes of a server (Linux). */
async function childrenOf(pid: number): Promise<number[]> {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = await readFile(path, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}

/** An empty database of one test file. */
export interface TestDatabase {
  readonly name: string;
  readonly options: PostgresOptions;
  /**
   * Drops the database. Throws an error if connections to it are still open: somebody forgot to close them.
   */
  drop(): Promise<void>;
}

/**
 * The milliseconds that closed connections may take to vanish from the server's list. A pool that nobody
 * closed ends its idle connections after 10 s.
 */
const leakGraceMs = 8_000;

/** Makes a database, empty or as a copy of `template`, to which nobody may be connected. */
export async function makeDatabase(access: PostgresAccess, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(access, async (admin) => {
    const { rows } = await admin.query(
      `select current_setting('server_version_num')::int >= 150000 as newer`,
    );
    // A copy of the files costs half of a copy through the log, which is the default since version 15.
    const strategy = rows[0]?.newer ? 'strategy file_copy' : '';
    await admin.query(`create database ${name} template ${template} ${strategy}`);
  });
  const url = new URL(access.url);
  url.pathname = `/${name}`;
  return {
    name,
    options: { url: url.href, password: access.password },
    drop: () =>
      asAdmin(access, async (admin) => {
        const leaks = await findLeaks(admin, name);
        await admin.query(`drop database ${name} with (force)`);
        if (leaks.length > 0)
          throw new Error(
            `${leaks.length} connections to the test database were not closed: ${leaks.join('; ')}`,
          );
      }),
  };
}

/** Names of databases of which other databases are copies. */
export interface Templates {
  /** A database with an empty ledger. */
  readonly ledger: string;
  /** A database as `plantsync migrate` leaves it, with all tables and views of a plain configuration. */
  readonly migrated: string;
}

/** Makes the templates. The returned function drops them. */
export async function makeTemplates(
  access: PostgresAccess,
): Promise<{ templates: Templates; drop: () => Promise<void> }> {
  const ledger = await makeDatabase(access);
  await prepare(ledger, (db) => migrate(db, defaultSchemas));
  const migrated = await makeDatabase(access, ledger.name);
  const config = await loadPlainConfig();
  await prepare(migrated, async (db) => {
    await makeTables(db, config, STORE_KINDS);
    await ensureViews(config, { db, schemas: defaultSchemas, kinds: STORE_KINDS });
  });
  return {
    templates: { ledger: ledger.name, migrated: migrated.name },
    drop: () => migrated.drop().finally(() => ledger.drop()),
  };
}

async function prepare(database: TestDatabase, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = openPostgres(database.options, silentLog);
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

async function asAdmin<T>({ url, password }: PostgresAccess, use: (admin: Client) => Promise<T>): Promise<T> {
  const address = new URL(url);
  if (password !== undefined) address.searchParams.set('password', password);
  const admin = new Client({ connectionString: address.href });
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.end();
  }
}

async function findLeaks(admin: Client, name: string): Promise<string[]> {
  const deadlineMs = Date.now() + leakGraceMs;
  for (;;) {
    const { rows } = await admin.query<{ client: string }>(
      `select format('%s: %s', application_name, left(query, 200)) as client from pg_stat_activity where datname = $1`,
      [name],
    );
    if (rows.length === 0 || Date.now() > deadlineMs) return rows.map((row) => row.client);
    await sleep(25);
  }
}
