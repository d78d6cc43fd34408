import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import {
  checkServer,
  type Database,
  openPostgres,
  type PostgresOptions,
} from '../../src/postgres/connect.ts';
import { sqlState } from '../../src/postgres/postgres-errors.ts';
import { makeTestCertificates } from '../support/network/test-certificates.ts';
import { startTlsFront } from '../support/network/tls-front.ts';
import { createDatabase, startPostgres, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  db = openPostgres(made.options, silentLog);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

/** Returns the error of the first use of a database that is opened with these options. */
async function failureOf(options: PostgresOptions, log = silentLog): Promise<StoreError> {
  const opened = openPostgres(options, log);
  try {
    await opened.query('select 1');
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  } finally {
    await opened.close();
  }
  throw new Error('it did not fail');
}

function changedUrl(changes: Partial<Pick<URL, 'pathname' | 'username' | 'password'>>): string {
  return Object.assign(new URL(made.options.url), changes).href;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('a server of version 14 or newer with a UTF8 database is accepted', async () => {
  const { version } = await checkServer(db);
  expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(14);
});

test('statements of the shared session run in one and the same, and in another when that broke', async () => {
  const opened = openPostgres(made.options, silentLog);
  const ask = async () =>
    (await opened.queryInSession<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const [pid, ...others] = await Promise.all([ask(), ask(), ask()]);
  expect(others).toEqual([pid, pid]);
  await expect(opened.queryInSession('select 1 / 0')).rejects.toThrow('division by zero');
  expect(await ask(), 'after an error of a statement').toBe(pid);
  await db.query('select pg_terminate_backend($1)', [pid]);
  await expect.poll(() => ask().catch(() => pid)).not.toBe(pid);
  const last = await ask();
  await opened.close();
  const isThere = async () =>
    (await db.query('select from pg_stat_activity where pid = $1', [last])).rowCount;
  await expect.poll(isThere).toBe(0);
});

test('a shared session that cannot be opened is tried again at the next statement', async () => {
  const opened = openPostgres({ ...made.options, password: 'wrong' }, silentLog);
  for (const _ of [1, 2]) await expect(opened.queryInSession('select 1')).rejects.toThrow(StoreError);
  await opened.close();
});

test('a database of another encoding is refused with the remedy', async () => {
  const name = `${made.name}_ascii`;
  await db.query(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
  const ascii = openPostgres({ ...made.options, url: changedUrl({ pathname: `/${name}` }) }, silentLog);
  await expect(checkServer(ascii)).rejects.toThrow(
    /its encoding is SQL_ASCII: make a database with create database/,
  );
  await ascii.close();
  await db.query(`drop database ${name}`);
});

test('a server that is not there is named with its address and the remedy', async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  const error = await failureOf({ url: `postgres://someone@127.0.0.1:${port}/x` });
  expect(error.message).toMatch(`PostgreSQL at 127.0.0.1:${port} cannot be reached`);
  expect(error.message).toMatch('start it, or correct postgres.url');
  expect(error.action).toBe('retry');
});

test('a server that accepts and stays silent counts as not reached after the time-out', async () => {
  const server = createServer();
  const port = await listen(server);
  const error = await failureOf({ url: `postgres://someone@127.0.0.1:${port}/x`, connectTimeoutMs: 200 });
  expect(error.message).toMatch(`PostgreSQL at 127.0.0.1:${port} cannot be reached (no answer in time)`);
  server.close();
});

test('a wrong password, a missing one and an unknown user are refused logins', async () => {
  const { url } = made.options;
  const unknown = changedUrl({ username: 'stranger' });
  for (const options of [{ url, password: 'wrong' }, { url }, { url: unknown, password: 'x' }]) {
    const error = await failureOf(options);
    expect(error.message).toMatch(
      /PostgreSQL at .+:\d+ (refused the login|asks for the password) of user (plantsync|stranger)/,
    );
    expect(error.action).toBe('stop');
  }
});

test('a login that fails on our side leaves no connection behind', async () => {
  await failureOf({ url: made.options.url });
  const count = `select count(*) as n from pg_stat_activity where backend_type = 'client backend' and state = 'starting'`;
  await expect.poll(async () => (await db.query(count)).rows).toEqual([{ n: 0 }]);
});

test('a database that does not exist is named', async () => {
  const error = await failureOf({
    ...made.options,
    url: changedUrl({ pathname: '/nowhere' }),
  });
  expect(error.message).toMatch(/has no database "nowhere": create it, or correct postgres.url/);
});

test('a password of any characters replaces that of the URL and appears nowhere', async () => {
  const password = `p@ss:w/rd#?%20 +&'"\\=变电站`;
  await db.query(`create role awkward login password '${password.replaceAll("'", "''")}'`);
  const url = changedUrl({ username: 'awkward', password: 'other' });
  const opened = openPostgres({ url, password }, silentLog);
  expect((await opened.query('select current_user as who')).rows).toEqual([{ who: 'awkward' }]);
  await opened.close();
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const error = await failureOf({ url, password: `${password}!` }, log);
  expect(inspect([error, opened, lines], { depth: 20, showHidden: true })).not.toMatch(/p@ss|other/);
  await db.query('drop role awkward');
});

test('sessions bear the name of their process, after the name that the URL gives', async () => {
  const url = new URL(made.options.url);
  url.searchParams.set('application_name', 'site-a');
  const opened = openPostgres({ ...made.options, url: url.href }, silentLog);
  const { rows } = await opened.query("select current_setting('application_name') as name");
  expect(rows).toEqual([{ name: opened.sessionName }]);
  expect(opened.sessionName).toMatch(new RegExp(`^site-a ${process.pid}@\\S+ [0-9a-f]{6}$`));
  await opened.close();
});

test('sessions run in UTC with ISO dates, whatever the role prefers', async () => {
  await db.query(`alter database ${made.name} set timezone to 'Asia/Shanghai'`);
  await db.query(`alter database ${made.name} set datestyle to 'German'`);
  const opened = openPostgres(made.options, silentLog);
  const { rows } = await opened.query(
    `select current_setting('TimeZone') as zone, now()::text like '____-__-__ %+00' as iso`,
  );
  expect(rows).toEqual([{ zone: 'UTC', iso: true }]);
  await opened.close();
});

test('a failed statement is a StoreError that keeps the SQLSTATE and the server’s words', async () => {
  const error = await db.query('select nothing from nowhere').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'StoreError', action: 'stop' });
  expect(String(error)).toMatch(/relation "nowhere" does not exist.*run `plantsync migrate`/);
  expect(sqlState(error)).toBe('42P01');
});

test('when the server dies, idle and busy connections fail as errors to retry, and work again after its restart', async () => {
  const server = await startPostgres();
  const opened = openPostgres(server.options, silentLog);
  await Promise.all([1, 2, 3].map(() => opened.query('select pg_sleep(0.05)')));
  const busy = opened.query('select pg_sleep(60)').catch((error: unknown) => error);
  const held = await opened.connect();
  await server.kill();
  expect(await busy).toMatchObject({ name: 'StoreError', action: 'retry' });
  held.release(true);
  // A server that is just ending may still accept a connection.
  await expect.poll(() => opened.query('select 1').catch(String)).toMatch(/cannot be reached/);
  await server.start();
  expect((await opened.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await opened.close();
  await server.close();
});

test('of several servers each one is known by its own name in its certificate', async () => {
  const { ca, server } = await makeTestCertificates();
  const target = { host: '127.0.0.1', port: db.port };
  // The certificate is that of 127.0.0.1.
  const [misnamed, named] = [
    await startTlsFront(target, server, { negotiates: true }),
    await startTlsFront(target, server, { negotiates: true }),
  ];
  const url = new URL(made.options.url);
  const servers = `localhost:${misnamed.port},127.0.0.1:${named.port}`;
  const address = `postgres://${url.username}@${servers}${url.pathname}`;
  const opened = openPostgres({ ...made.options, url: address, ca }, silentLog);
  expect((await opened.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(opened.server()).toMatchObject({
    ...{ host: '127.0.0.1', port: named.port, isReplica: false },
    others: [expect.stringMatching(/^PostgreSQL at localhost:\d+: .*ALTNAME_INVALID/)],
  });
  await opened.close();
});

test('a closed database has no session left, and misses none of its connections', async () => {
  const written: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void written.push(line) });
  const opened = openPostgres(made.options, log);
  const { rows } = await opened.query('select pg_backend_pid() as pid');
  const pid = Number(rows[0]?.pid);
  // The session stands still while it is told to end, and the server stops it meanwhile.
  process.kill(pid, 'SIGSTOP');
  const closed = opened.close();
  await db.query('select pg_terminate_backend($1)', [pid]);
  process.kill(pid, 'SIGCONT');
  await closed;
  expect((await db.query('select from pg_stat_activity where pid = $1', [pid])).rowCount).toBe(0);
  expect(written).toEqual([]);
});

test('more work than connections waits for its turn', async () => {
  const narrow = openPostgres({ ...made.options, maxConnections: 1, connectTimeoutMs: 300 }, silentLog);
  const results = await Promise.all(
    [1, 2, 3].map((n) => narrow.query('select $1::int as n, pg_sleep(0.2)', [n])),
  );
  expect(results.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
  await narrow.close();
});
