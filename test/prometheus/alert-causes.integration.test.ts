import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeProject } from '../support/program/plantsync.ts';
import { openSimulator } from '../support/program/simulated-project.ts';
import { freePort } from '../support/servers/process.ts';
import { type FiringAlert, readAlertRules, startPrometheus } from '../support/servers/prometheus.ts';
import {
  startInflux,
  startPostgres,
  startRedis,
  type TestPostgres,
  type TestServer,
} from '../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';

/** The alerts whose cause was made, and that fired. */
const made = new Set<string>();

/** Starts Prometheus for a service. `fires` waits for alerts, each once. */
async function watch(ports: readonly number[]) {
  const prometheus = await startPrometheus(ports.map((port) => `127.0.0.1:${port}`));
  onTestFinished(() => prometheus.close());
  const firing = async (name: string): Promise<FiringAlert | undefined> =>
    (await prometheus.firing()).find(({ labels }) => labels.alertname === name);
  const fires = async (...names: string[]) => {
    for (const name of names) {
      await expect.poll(() => firing(name), { message: `${name} fires`, interval: 250 }).toBeDefined();
      const { annotations } = (await firing(name)) ?? { annotations: {} };
      // A mistake in a template shows as text.
      expect(JSON.stringify(annotations)).not.toMatch(/<error|<no value>|%!/);
      made.add(name);
    }
  };
  const isSilent = (...names: string[]) =>
    expect
      .poll(async () => (await prometheus.firing()).filter(({ labels }) => names.includes(labels.alertname)))
      .toEqual([]);
  return { fires, isSilent };
}

async function connectTo({ options }: TestPostgres): Promise<Client> {
  const url = new URL(options.url);
  url.password = encodeURIComponent(options.password ?? '');
  const client = new Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

describe('each alert fires at a real service when its cause is made:', () => {
  let postgres: TestPostgres;
  let influx: TestServer;
  beforeAll(async () => {
    [postgres, influx] = await Promise.all([startPostgres({ ownDisk: true }), startInflux()]);
  });
  afterAll(() => Promise.all([postgres.close(), influx.close()]));

  it('platform, stores, streams, gaps, rejects, pauses and the service itself', async () => {
    const simulator = await openSimulator({ size: { objects: 0, persons: 3 } });
    const nowMs = Date.now();
    const points = Array.from({ length: 30 }, (_, k): [number, number] => [nowMs - (60 - k) * 60_000, k]);
    for (const name of ['pump1', 'pump2'])
      simulator.addObject({ name, properties: [{ name: 'temp', points }] });
    const out = { kind: 'status', status: 500 } as const;
    // The service never gets the history of pump2, and never the users.
    const always = [
      { ...out, operation: 'readHistory', match: 'pump2' } as const,
      { ...out, operation: 'listUsers' } as const,
    ];
    simulator.setFaults(always);
    const port = await freePort();
    const history = { start: '3h', every: '1s', settle: '0s' };
    const { start, run } = makeProject({
      platform: {
        ...{ baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret },
        retries: 0,
      },
      postgres: { url: postgres.options.url, password: postgres.options.password },
      influx: { url: influx.url, version: 1, database: 'plant' },
      streams: {
        ...onlyStreams(),
        persons: { every: '1s' },
        users: { every: '1s' },
        objects: { every: '1s' },
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
    const service = start(['run']);
    await service.printed(/the service runs/);
    const { fires, isSilent } = await watch([port]);
    await fires('PlantsyncStreamFailing', 'PlantsyncStreamNeverRead', 'PlantsyncWebhookFails');
    await fires('PlantsyncHistoryBehind', 'PlantsyncSeriesBehind', 'PlantsyncGaps');
    await isSilent('PlantsyncDown', 'PlantsyncStoreAway', 'PlantsyncPlatformAway', 'PlantsyncRejectsGrow');

    const db = await connectTo(postgres);
    const { rows } = await db.query(`select count(*)::int as stored from plant.samples`);
    expect(rows).toEqual([{ stored: 30 }]);
    await db.query('delete from plant.samples where at in (select at from plant.samples limit 2)');
    await run(['verify', '--from', new Date(nowMs - 7200_000).toISOString()]);
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await expect.poll(metrics).toContain('plantsync_rejects_open{stream="users"} 0');
    for (let k = 0; k < 101; k++)
      simulator.raiseAlarm({ sourceObjName: 'pump1', sourcePropName: 'temp', showName: `alarm ${k}` });
    await db.query(
      `insert into plantsync.rejects (stream, kind, key, reason, count) values ('users', 'record', 'x', 'no name', 1)`,
    );
    await fires('PlantsyncVerifyDifferences', 'PlantsyncAlarmStorm', 'PlantsyncRejectsGrow');

    simulator.setFaults([...always, { ...out, operation: 'listPersons' }]);
    await db.query(
      `update plantsync.runs set started_at = started_at - interval '1 hour' where stream = 'persons'`,
    );
    await fires('PlantsyncStreamWithoutSuccess');
    await run(['pause', 'persons']);
    await db.query(`update plantsync.pauses set since = since - interval '5 hours'`);
    await fires('PlantsyncPaused');
    await isSilent('PlantsyncStreamWithoutSuccess');

    await influx.stop();
    await fires('PlantsyncStoreAway');
    simulator.setFaults([out]);
    await fires('PlantsyncPlatformAway');
    await postgres.stop();
    await fires('PlantsyncNotReady');
    service.process.kill('SIGKILL');
    await fires('PlantsyncDown', 'Watchdog');
  });

  it('roles and Redis', async () => {
    await postgres.start();
    const db = await connectTo(postgres);
    await db.query('drop schema if exists plant, plantsync cascade');
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const simulator = await openSimulator({ size: { objects: 0, persons: 3 } });
    const ports = { scheduler: await freePort(), worker: await freePort() };
    const { start } = makeProject({
      platform: { baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret },
      postgres: { url: postgres.options.url, password: postgres.options.password },
      redis: { url: redis.url },
      streams: { ...onlyStreams(), persons: { every: '1s' } },
      alarms: noAlarms,
      runtime: [],
    });
    const startRole = (role: keyof typeof ports) =>
      start(['run', '--role', role], { PLANTSYNC_CONSOLE__PORT: String(ports[role]) });
    const scheduler = startRole('scheduler');
    const worker = startRole('worker');
    await worker.printed(/persons is up to date|the service runs/);
    const runs = () =>
      db.query(`select from plantsync.runs where status = 'done'`).catch(() => ({ rowCount: 0 }));
    await expect.poll(async () => (await runs()).rowCount).toBeGreaterThan(0);
    const { fires, isSilent } = await watch([ports.scheduler, ports.worker]);
    await isSilent('PlantsyncNoLeader', 'PlantsyncServiceGone', 'PlantsyncRedisAway');

    for (const { process, ended } of [worker, scheduler]) {
      process.kill('SIGKILL');
      await ended;
    }
    await db.query(`update plantsync.runs set started_at = started_at - interval '1 day'`);
    const next = startRole('scheduler');
    await fires('PlantsyncJobOverdue', 'PlantsyncServiceGone');
    next.process.kill('SIGKILL');
    startRole('worker');
    await fires('PlantsyncNoLeader');
    await redis.stop();
    await fires('PlantsyncRedisAway');
  });

  it('and no alert is left out but those that only the rule tests judge', async () => {
    const names = (await readAlertRules()).map(({ alert }) => alert);
    expect(names.filter((name) => !made.has(name))).toEqual([
      'PlantsyncDiskFull',
      'PlantsyncTokenEnded',
      'PlantsyncOutboxWaits',
      'PlantsyncOutboxGrows',
      'PlantsyncStoreWritesFail',
      'PlantsyncValuesLost',
    ]);
  });
});
