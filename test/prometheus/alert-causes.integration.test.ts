import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator-options.ts';
import { makeProject, type Project } from '../support/program/plantsync.ts';
import { openSimulator } from '../support/program/simulated-project.ts';
import { connectTo } from '../support/servers/postgres-client.ts';
import { freePort } from '../support/servers/process.ts';
import { readAlertRules } from '../support/servers/prometheus.ts';
import {
  createDatabaseWithLedger,
  startInflux,
  startPostgres,
  startRedis,
  type TestDatabase,
  type TestPostgres,
  type TestServer,
} from '../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';
import { watchAlerts } from './watch-alerts.ts';

/** The alerts whose cause was made, and that fired. */
const made = new Set<string>();
/** The platform fails for an operation, or for all. */
const out = { kind: 'status', status: 500 } as const;
/** The service never gets the history of pump2, and never the users. */
const never = [
  { ...out, operation: 'readHistory', match: 'pump2' } as const,
  { ...out, operation: 'listUsers' } as const,
];

describe('each alert fires at a real service when its cause is made:', () => {
  let postgres: TestPostgres;
  let influx: TestServer;
  let redis: TestServer;
  let database: TestDatabase;
  beforeAll(async () => {
    [postgres, influx, redis, database] = await Promise.all([
      startPostgres({ ownDisk: true }),
      startInflux(),
      startRedis(),
      createDatabaseWithLedger(),
    ]);
  });
  afterAll(() => Promise.all([postgres.close(), influx.close(), redis.close(), database.drop()]));

  // Both services wait most of the time.
  it('at one with all roles and stores, and at one with roles and Redis', () =>
    Promise.all([makeTrouble(), separateRoles()]));

  async function makeTrouble(): Promise<void> {
    const { simulator, port, ...project } = await openSite();
    const db = await connectTo(postgres.options);
    await makeHistory(project, { simulator, db });

    const service = project.start(['run']);
    await service.printed(/the service runs/);
    const { fires, isSilent, firesFor } = await watchAlerts([port], made);
    await fires('PlantsyncStreamFailing', 'PlantsyncStreamNeverRead', 'PlantsyncWebhookFails');
    await fires('PlantsyncHistoryBehind', 'PlantsyncSeriesBehind', 'PlantsyncGaps');
    await fires('PlantsyncVerifyDifferences', 'PlantsyncAlarmStorm', 'PlantsyncPaused');
    expect(await firesFor('PlantsyncStreamWithoutSuccess', 'stream')).toEqual(['persons']);
    await isSilent('PlantsyncDown', 'PlantsyncStoreAway', 'PlantsyncPlatformAway', 'PlantsyncRejectsGrow');
    await isSilent(
      'PlantsyncDiskFull',
      'PlantsyncTokenEnded',
      'PlantsyncNotReady',
      'PlantsyncStoreWritesFail',
    );
    await isSilent('PlantsyncOutboxWaits', 'PlantsyncOutboxGrows', 'PlantsyncValuesLost');
    await isSilent('PlantsyncRollupsBehind');

    await db.query(
      `insert into plantsync.rejects (stream, kind, key, reason, count) values ('users', 'record', 'x', 'no name', 1)`,
    );
    await project.run(['pause', 'rollups']);
    await db.query(
      `insert into plantsync.rollup_marks (series_ids, first_id, last_id, begins, ends, reread, marked_at)
       select '{1}', 1, 1, t, t + interval '5 minutes', true, t from (values (now() - interval '4 hours')) as v (t)`,
    );
    await influx.stop();
    await fires('PlantsyncStoreAway', 'PlantsyncRollupsBehind');
    await fillOutbox(db);
    await db.query('alter table plant.samples rename to samples_away');
    await fires(
      'PlantsyncRejectsGrow',
      'PlantsyncOutboxWaits',
      'PlantsyncOutboxGrows',
      'PlantsyncStoreWritesFail',
    );
    await db.query('alter table plant.samples_away rename to samples');

    await fillDisk(simulator, { db, port });
    await fires('PlantsyncDiskFull');
    expect(await project.run(['status'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /PostgreSQL has no room on its disk since (?:\d{4}-\d\d-\d\dT)?[\d:]+Z: it stores nothing\n.*[Mm]ake room/,
      ),
    });
    await postgres.disk?.free();
    await isSilent('PlantsyncDiskFull', 'PlantsyncNotReady');
    await postgres.stop();
    await fires('PlantsyncValuesLost', 'PlantsyncNotReady');
    simulator.setFaults([out]);
    await fires('PlantsyncPlatformAway', 'PlantsyncTokenEnded');
    service.process.kill('SIGKILL');
    await fires('PlantsyncDown', 'Watchdog');
  }

  async function openSite() {
    const simulator = await openSimulator({ size: { objects: 0, persons: 3 }, tokenLifetimeSec: 6 });
    const port = await freePort();
    const history = { start: '3h', every: '1s', settle: '0s' };
    const project = makeProject({
      platform: {
        ...{ baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret },
        retries: 0,
      },
      postgres: { url: postgres.options.url, password: postgres.options.password },
      influx: { url: influx.url, version: 1, database: 'plant' },
      streams: {
        ...onlyStreams(),
        persons: { every: '1s', details: false },
        users: { every: '1s', details: false },
        org_trees: { every: '1s', details: false },
        objects: { every: '1s', details: false },
      },
      alarms: { history: false, current: { every: '1s' } },
      runtime: [
        { objects: 'pump1', properties: 'temp', current: { every: '1s' }, history },
        { objects: 'pump2', properties: 'temp', current: false, history },
      ],
      limits: { pollBufferValues: 1 },
      // Nobody listens there.
      heartbeat: { url: `http://127.0.0.1:${await freePort()}/ping`, every: '1s' },
      notify: {
        after: '0s',
        webhooks: [{ name: 'nobody', url: `http://127.0.0.1:${await freePort()}/hook` }],
      },
      console: { port },
    });
    return { ...project, simulator, port };
  }

  /** Fills the disk of Postgres until the service has seen it. Files that the server removes leave room. */
  async function fillDisk(simulator: Simulator, { db, port }: { db: Client; port: number }): Promise<void> {
    const { disk } = postgres;
    if (disk === undefined)
      throw new Error('this test mounts a disk, which needs root or sudo without a password, on Linux');
    // Without room for its log the server would end. A new file of the log lasts long enough.
    await db.query('select pg_switch_wal()');
    await db.query(`select pg_logical_emit_message(true, 'log', 'begins its next file')`);
    let tanks = 0;
    const fill = async () => {
      await disk.fill();
      for (let k = 0; k < 100; k++)
        simulator.addObject({ name: `${'tank'.repeat(50)}${tanks++}`, properties: [] });
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return metrics.includes('plantsync_store_disk_full{store="postgres"} 1');
    };
    await expect.poll(fill, { message: 'the service sees a full disk', interval: 250 }).toBe(true);
  }

  async function separateRoles(): Promise<void> {
    const db = await connectTo(database.options);
    const simulator = await openSimulator({ size: { objects: 0, persons: 3 } });
    const ports = { scheduler: await freePort(), worker: await freePort() };
    const { start } = makeProject({
      platform: { baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret },
      postgres: { url: database.options.url, password: database.options.password },
      redis: { url: redis.url },
      streams: { ...onlyStreams(), persons: { every: '1s' } },
      alarms: noAlarms,
      runtime: [],
    });
    const startRole = (role: keyof typeof ports) =>
      start(['run', '--role', role], { PLANTSYNC_CONSOLE__PORT: String(ports[role]) });
    const [scheduler, worker] = [startRole('scheduler'), startRole('worker')];
    const { fires, isSilent } = await watchAlerts([ports.scheduler, ports.worker], made);
    const runs = () => db.query(`select from plantsync.runs where status = 'done'`);
    await expect.poll(async () => (await runs()).rowCount).toBeGreaterThan(0);
    await isSilent('PlantsyncNoLeader', 'PlantsyncServiceGone', 'PlantsyncRedisAway', 'PlantsyncJobOverdue');

    for (const { process, ended } of [worker, scheduler]) {
      process.kill('SIGKILL');
      await ended;
    }
    // A run that was killed counts as alive for a while.
    await db.query(`update plantsync.runs set started_at = started_at - interval '1 day', status = 'done'`);
    await db.query(`update plantsync.services set beat_at = beat_at - interval '1 minute'`);
    const next = startRole('scheduler');
    await fires('PlantsyncJobOverdue', 'PlantsyncServiceGone');
    next.process.kill('SIGKILL');
    startRole('worker');
    await fires('PlantsyncNoLeader');
    await redis.stop();
    await fires('PlantsyncRedisAway');
  }

  it('and no alert is left out', async () => {
    const names = (await readAlertRules()).map(({ alert }) => alert);
    expect(names.filter((name) => !made.has(name))).toEqual([]);
  });
});

/**
 * Lets a service find much that is wrong at its start. A series was never read, and a store differs. One
 * stream has not succeeded for an hour, another has been paused for five hours. Many alarms begin.
 */
async function makeHistory(
  { start, run }: Pick<Project, 'start' | 'run'>,
  { simulator, db }: { simulator: Simulator; db: Client },
): Promise<void> {
  const nowMs = Date.now();
  const points = Array.from({ length: 30 }, (_, k): [number, number] => [nowMs - (60 - k) * 60_000, k]);
  for (const name of ['pump1', 'pump2'])
    simulator.addObject({ name, properties: [{ name: 'temp', points }] });
  simulator.setFaults(never);
  await start(['sync']).ended;
  const { rows } = await db.query(`select count(*)::int as stored from plant.samples`);
  expect(rows).toEqual([{ stored: 30 }]);
  await db.query('delete from plant.samples where at in (select at from plant.samples limit 2)');
  await run(['verify', '--from', new Date(nowMs - 7200_000).toISOString()]);
  for (let k = 0; k < 101; k++)
    simulator.raiseAlarm({ sourceObjName: 'pump1', sourcePropName: 'temp', showName: `alarm ${k}` });
  await run(['pause', 'org_trees']);
  await db.query(`update plantsync.pauses set since = since - interval '5 hours'`);
  await db.query(
    `update plantsync.runs set started_at = started_at - interval '1 hour' where stream in ('persons', 'org_trees')`,
  );
  simulator.setFaults([...never, { ...out, operation: 'listPersons' }]);
}

/** Makes the outbox long, and its entries an hour old, once polls wait for a store. */
async function fillOutbox(db: Client): Promise<void> {
  const copy = () =>
    db.query(
      `insert into plantsync.outbox (store, payload, created_at)
       select store, payload, created_at
       from (select * from plantsync.outbox order by id limit 1) as oldest, generate_series(1, 1000)`,
    );
  await expect.poll(async () => (await copy()).rowCount).toBe(1_000);
  await db.query(`update plantsync.outbox set created_at = created_at - interval '1 hour'`);
}
