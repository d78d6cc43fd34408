import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Closers } from '../../src/cli/open/closers.ts';
import { openConnections } from '../../src/cli/open/open-connections.ts';
import { loadConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { syncStreams } from '../../src/sync/once/sync-streams.ts';
import { noProgress } from '../support/plant-context.ts';
import { readDatabase } from '../support/plant-databases.ts';
import { freePort } from '../support/servers/process.ts';
import { startPostgres, type TestPostgres } from '../support/servers/servers.ts';
import { makeStubPlant, onlyHistoryOf, smallPlant } from '../support/stub/stub-plant.ts';

/** The servers of these tests, in the order of their promotions. Each one is a replica of the one before. */
const servers: TestPostgres[] = [];
const serverOf = (place: number): TestPostgres => servers[place] as TestPostgres;
beforeAll(async () => {
  servers.push(await startPostgres());
  servers.push(await startPostgres({ replicaOf: serverOf(0) }));
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

const portOf = ({ url }: TestPostgres) => Number(new URL(url).port);
const passwordOf = ({ options }: TestPostgres) => options.password ?? '';

/** Returns the address of two servers, the later one first: the order must not matter. */
function addressOf(a: TestPostgres, b: TestPostgres): string {
  return `postgres://plantsync@127.0.0.1:${portOf(b)},127.0.0.1:${portOf(a)}/plantsync?target_session_attrs=read-write`;
}

function open(url: string, log = silentLog): Database {
  const db = openPostgres({ url, password: passwordOf(serverOf(0)) }, log);
  onTestFinished(() => db.close());
  return db;
}

const ask = async (server: TestPostgres, sql: string): Promise<unknown[]> => {
  const db = openPostgres(server.options, silentLog);
  return readDatabase(db)
    .rows(sql)
    .finally(() => db.close());
};

const promote = (server: TestPostgres) => ask(server, 'select pg_promote()');

/** Waits until a replica has everything. */
async function catchUp(primary: TestPostgres, replica: TestPostgres): Promise<void> {
  const [end] = await ask(primary, 'select pg_current_wal_lsn()');
  const has = () => ask(replica, `select pg_last_wal_replay_lsn() >= '${end}'`);
  await expect.poll(has, { interval: 50 }).toEqual([true]);
}

/** Starts an address that leads to one server and later to another, as a virtual IP address does. */
async function startMovingAddress(target: TestPostgres) {
  const moving = { to: portOf(target) };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(moving.to, '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => undefined);
    }
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const moveTo = (next: TestPostgres) => {
    moving.to = portOf(next);
  };
  return { url: `postgres://plantsync@127.0.0.1:${port}/plantsync`, moveTo };
}

/** Points of the last hours, one a minute. */
function makePoints(): [string, number][] {
  const last = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
  return Array.from({ length: 120 }, (_, k) => [new Date(last - k * 60_000).toISOString(), k]);
}

describe('a failover with asynchronous replication', () => {
  it('reads again what the new primary lacks, in the same process, and InfluxDB has nothing twice', async () => {
    const [old, next] = [serverOf(0), serverOf(1)];
    const plant = await makeStubPlant(smallPlant(makePoints()), ({ influx }) => ({
      ...onlyHistoryOf(['pump1.temp']),
      postgres: { url: addressOf(old, next), password: passwordOf(old) },
      influx,
      bi: false,
    }));
    const config = await loadConfig({ env: {}, overrides: plant.config as never });
    const closers = new Closers(silentLog);
    onTestFinished(() => closers.close());
    const parts = await openConnections(config, { log: silentLog, closers });
    const ctx = { ...parts, progress: noProgress, signal: new AbortController().signal };
    await catchUp(old, next);
    await next.kill();
    const sync = async () => (await syncStreams(ctx, ['history'])).flatMap(({ problems }) => problems);
    expect(await sync()).toEqual([]);
    expect(await ask(old, 'select count(*) from plant.samples')).toEqual([120]);
    const points = await plant.databases.influxPoints('pump1.temp');
    expect(points.values).toHaveLength(120);
    await old.kill();
    await next.start();
    await promote(next);
    expect(await ask(next, 'select count(*) from plantsync.coverage')).toEqual([0]);
    // Another process registers a series, which may get the number that this process knows for its own.
    await ask(next, `insert into plant.series (object, property) values ('other', 'series') returning 1`);
    // The first run finds the other server, and writes nothing more.
    await expect.poll(sync, { interval: 50 }).toEqual([]);
    expect(
      await ask(next, `select object from plant.series join plant.samples using (series_id) group by 1`),
    ).toEqual(['pump1']);
    expect(await ask(next, 'select count(*) from plant.samples')).toEqual([120]);
    expect(await plant.databases.influxPoints('pump1.temp')).toEqual(points);
    expect(ctx.db.server()).toMatchObject({ port: portOf(next), identity: { timeline: 2 } });
  });
});

describe('a connection whose address leads to a replica', () => {
  it('is thrown away with all others at the first write, and the next write goes where the address leads now', async () => {
    servers.push(await startPostgres({ replicaOf: serverOf(1) }));
    const [primary, replica] = [serverOf(1), serverOf(2)];
    await ask(primary, 'create table moved (id int)');
    await catchUp(primary, replica);
    const address = await startMovingAddress(replica);
    const db = open(address.url);
    const write = () => inTransaction(db, (tx) => tx.query('insert into moved values (1)'));
    await Promise.all([1, 2, 3].map(() => db.query('select pg_sleep(0.05)')));
    await expect(write()).rejects.toMatchObject({ code: 'postgres.read_only', action: 'retry' });
    address.moveTo(primary);
    const isWritten = () => write().then(() => true);
    await expect.poll(() => isWritten().catch(() => false), { interval: 50 }).toBe(true);
    expect(await Promise.all([isWritten(), isWritten()])).toEqual([true, true]);
    expect(await ask(primary, 'select count(*) from moved')).toEqual([3]);
  });
});

describe('a failover with synchronous replication, under load', () => {
  it('loses nothing that was committed, the service goes on by itself, and the old primary is not written to', async () => {
    const [old, next] = [serverOf(1), serverOf(2)];
    await ask(old, `alter system set synchronous_standby_names = '*'`);
    await ask(old, 'select pg_reload_conf()');
    const isSync = () => ask(old, `select sync_state from pg_stat_replication`);
    await expect.poll(isSync, { interval: 50 }).toEqual(['sync']);
    const url = addressOf(old, next);
    let polls = 0;
    const plant = await makeStubPlant(
      {
        answer: (request, stub) => {
          const usual = stub.defaultAnswer(request);
          if (request.path !== '/openapi/objects/v1/properties/current' || usual.status === 401)
            return undefined;
          polls += 1;
          return { body: { 'pump1.temp': polls } };
        },
      },
      ({ influx }) => ({
        ...onlyHistoryOf([]),
        postgres: {
          url,
          password: passwordOf(old),
          schema: 'failed_over',
          ledgerSchema: 'failed_over_ledger',
        },
        influx,
        bi: false,
        runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
      }),
    );
    const service = plant.start(['run']);
    await service.printed(/the service runs/);
    await ask(old, 'create table acknowledged (id int primary key)');
    const db = open(url);
    const done: number[] = [];
    let isOver = false;
    const load = [0, 1, 2, 3].map(async (writer) => {
      for (let id = writer; !isOver; ) {
        const write = db.query('insert into acknowledged values ($1) on conflict do nothing', [id]);
        const isWritten = await write.then(
          () => true,
          () => sleep(50, false),
        );
        if (isWritten) done.push(id);
        if (isWritten) id += 4;
      }
    });
    const stored = async (server: TestPostgres) =>
      (await ask(server, 'select value from failed_over.samples_polled order by at')) as number[];
    await expect.poll(async () => (await stored(old)).length).toBeGreaterThan(1);
    await expect.poll(() => done.length).toBeGreaterThan(50);
    await old.kill();
    await sleep(1_000);
    const acknowledged = [...done];
    await promote(next);
    const target = polls + 1;
    await expect.poll(async () => (await stored(next)).at(-1)).toBeGreaterThan(target);
    await expect.poll(() => done.length).toBeGreaterThan(acknowledged.length + 50);

    const auto = join(old.home, 'data', 'postgresql.auto.conf');
    await writeFile(auto, (await readFile(auto, 'utf8')).replace(/^synchronous_standby_names.*$/m, ''));
    await old.start();
    const frozen = await ask(old, 'select count(*) from acknowledged');
    const checked = await plant.run(['check']);
    expect(checked.output).toMatch(
      new RegExp(
        `127.0.0.1:${portOf(next)} \\(primary, version [\\d.]+, timeline 3\\).*:${portOf(old)} \\(primary, .*timeline 2\\)`,
      ),
    );
    const status = async () => JSON.parse((await plant.run(['status', '--json'])).stdout).postgres;
    await expect.poll(status).toMatchObject({ port: portOf(next), role: 'primary', timeline: 3 });
    // The log names the primary of old, which still takes writes, at the next look.
    await service.printed(/stop the old primary/);
    isOver = true;
    await Promise.all(load);
    expect(await ask(old, 'select count(*) from acknowledged')).toEqual(frozen);
    service.process.kill('SIGTERM');
    const { code, output } = await service.ended;
    expect(code).toBe(0);
    expect(output).not.toMatch(/are lost|were dropped/);
    const kept = new Set(await ask(next, 'select id from acknowledged'));
    expect(done.filter((id) => !kept.has(id))).toEqual([]);
    const values = await stored(next);
    expect(values).toEqual(values.map((_, k) => k + 1));
    const inInflux = (await plant.databases.influxPoints('pump1.temp', 'runtime_polled')).values;
    expect(inInflux).toEqual(values.slice(0, inInflux.length));
  });

  it('refuses the old primary also if the only address leads back to it', async () => {
    const address = await startMovingAddress(serverOf(2));
    const db = open(address.url);
    await db.query('select 1');
    address.moveTo(serverOf(1));
    db.breakConnections();
    const write = () => db.query('insert into moved values (2)');
    await expect
      .poll(() => write().catch(String), { interval: 50 })
      .toMatch(/is not used: its timeline 2 is older than timeline 3.*Stop it, or make it a replica/);
    address.moveTo(serverOf(2));
    await write();
    expect(await ask(serverOf(2), 'select count(*) from moved where id = 2')).toEqual([1]);
  });
});
