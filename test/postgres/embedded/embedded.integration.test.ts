import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/postgres/embedded/start-embedded.ts';
import { type EmbeddedUser, useEmbedded } from './embedded-user.ts';

type Address = Pick<EmbeddedServer, 'url' | 'password'>;

/** A folder that only its owner may enter, like a home. The account that runs the server for root may not. */
let closed: string;
/** The folder where root's server goes then. */
let root: string;
let dataDir: string;

beforeAll(async () => {
  closed = await mkdtemp(join(tmpdir(), 'plantsync-test-closed-'));
  root = await mkdtemp(join(tmpdir(), 'plantsync-test-root-'));
  await chmod(root, 0o755);
  dataDir = join(closed, 'trial', '.plantsync', 'postgres');
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()));
  await rm(closed, { recursive: true, force: true });
  await rm(root, { recursive: true, force: true });
});

const started: EmbeddedServer[] = [];
async function start(folder = dataDir): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir: folder, roots: [root], log: silentLog });
  started.push(server);
  return server;
}
const use = (folder = dataDir): EmbeddedUser => useEmbedded(folder, root);

async function ask(server: Address, text: string): Promise<Record<string, unknown>[]> {
  const db = openPostgres({ url: server.url, password: server.password }, silentLog);
  try {
    return (await db.query(text)).rows;
  } finally {
    await db.close();
  }
}

async function expectGone(server: Address): Promise<void> {
  await expect(ask(server, 'select 1')).rejects.toThrow(/cannot be reached/);
}

test('it runs below a folder that only its owner may enter, in UTF8 and locale C, without LANG', async () => {
  const user = use();
  const server = await user.ready;
  const rows = await ask(
    server,
    `select current_setting('server_encoding') as encoding, datcollate as locale, current_setting('TimeZone') as zone
     from pg_database where datname = current_database()`,
  );
  expect(rows).toEqual([{ encoding: 'UTF8', locale: 'C', zone: 'UTC' }]);
  await ask(server, `create table kept as select '变电站'::text as name`);
  await user.stop();
  await expectGone(server);
});

test('a second start finds the data of the first at the same address', async () => {
  const first = await start();
  await first.stop();
  const second = await start();
  expect(await ask(second, 'select name from kept')).toEqual([{ name: '变电站' }]);
  expect({ url: second.url, takenOver: second.takenOver }).toEqual({ url: first.url, takenOver: false });
  await second.stop();
});

test('other users of the machine get neither at the files nor into the server', async () => {
  const server = await start();
  const modeOf = async (name: string): Promise<number> => (await stat(join(server.home, name))).mode & 0o777;
  expect(await modeOf('password')).toBe(0o600);
  expect(await modeOf('server.log')).toBe(0o600);
  expect(await modeOf('data')).toBe(0o700);
  await expect(ask({ url: server.url, password: 'guess' }, 'select 1')).rejects.toThrow(/refused the login/);
  const rules = await ask(server, 'select distinct auth_method from pg_hba_file_rules');
  expect(rules).toEqual([{ auth_method: 'scram-sha-256' }]);
  expect(await ask(server, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
  expect(await ask(server, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  await server.stop();
});

test('processes that start it at once share one server, and the last to leave stops it', async () => {
  const fresh = join(closed, 'shared');
  const users = [use(fresh), use(fresh), use(fresh)];
  const [server, ...others] = await Promise.all(users.map((user) => user.ready));
  if (server === undefined) throw new Error('no server');
  expect(others.map((other) => other.pid)).toEqual([server.pid, server.pid]);
  expect([server, ...others].filter(({ takenOver }) => !takenOver)).toHaveLength(1);
  for (const user of users) {
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await user.stop();
  }
  await expectGone(server);
});

test('after kill -9 of its user, the server is taken over and stopped by the next one', async () => {
  const user = use();
  const server = await user.ready;
  await user.kill();
  expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  const next = await start();
  expect({ pid: next.pid, takenOver: next.takenOver }).toEqual({ pid: server.pid, takenOver: true });
  await next.stop();
  await expectGone(next);
});

test('after kill -9 of everything, the next start recovers the data', async () => {
  const user = use();
  const server = await user.ready;
  await ask(server, 'create table survives as select 7 as n');
  await user.kill();
  process.kill(server.pid, 'SIGKILL');
  const next = await start();
  expect(await ask(next, 'select n from survives')).toEqual([{ n: 7 }]);
  expect(next.takenOver).toBe(false);
  await next.stop();
});

test('after kill -9 of the server alone, its user can stop and start again', async () => {
  const server = await start();
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  const next = await start();
  expect(await ask(next, 'select name from kept')).toEqual([{ name: '变电站' }]);
  await next.stop();
});

test('a pid file that names a process of somebody else does not hinder the start', async () => {
  const first = await start();
  const data = join(first.home, 'data');
  const pidFile = await readFile(join(data, 'postmaster.pid'), 'utf8');
  await first.stop();
  const { uid, gid } = await stat(data);
  // The process has the same account, since PostgreSQL itself pays no heed to processes of other accounts.
  const stranger = spawn('sleep', ['600'], { uid, gid });
  try {
    await writeFile(join(data, 'postmaster.pid'), pidFile.replace(/^\d+/, String(stranger.pid)));
    const next = await start();
    expect(next.takenOver).toBe(false);
    await next.stop();
  } finally {
    stranger.kill();
  }
});

test('a start that was killed while it made the files does not hinder the next', async () => {
  const folder = join(closed, 'half');
  const user = use(folder);
  const failed = expect(user.ready).rejects.toThrow();
  const isHalfMade = async (): Promise<boolean> => {
    const homes = [folder, ...(await readdir(root)).map((name) => join(root, name))];
    const names = await Promise.all(homes.map((home) => readdir(home).catch(() => [])));
    return names.flat().some((name) => /^data\..{6}$/.test(name));
  };
  while (!(await isHalfMade())) await sleep(5);
  await user.kill();
  await failed;
  const server = await start(folder);
  expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('damaged files are an error that says what the server said and what to do', async () => {
  const server = await start(join(closed, 'damaged'));
  await server.stop();
  await writeFile(join(server.home, 'data', 'global', 'pg_control'), 'nonsense');
  await expect(start(join(closed, 'damaged'))).rejects.toThrow(
    /does not start: .*pg_control.*remove that folder to start again/s,
  );
});

test('a lost password file is an error that says what to do', async () => {
  const server = await start();
  await rm(join(server.home, 'password'));
  await expect(start()).rejects.toThrow(/refuses the password kept in that folder/);
  await writeFile(join(server.home, 'password'), server.password, { mode: 0o600 });
  await server.stop();
});

test('settings of the environment for other servers do not matter', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    PGSSLMODE: 'require',
    PGPORT: '1',
    PGHOST: '203.0.113.1',
    PGDATA: '/nowhere',
  });
  try {
    const server = await start();
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  } finally {
    process.env = before;
  }
});
