import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { RedisConnections, type RedisSettings } from '../../../src/queue/redis/redis-connections.ts';
import { makeTestCertificates, type TestCertificates } from '../../support/network/test-certificates.ts';
import { startTlsFront } from '../../support/network/tls-front.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { startRedis, type TestServer } from '../../support/servers/servers.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

let certificates: TestCertificates;
let folder: string;
let caFile: string;
let redis: TestServer;
beforeAll(async () => {
  redis = await startRedis();
  certificates = await makeTestCertificates();
  folder = mkdtempSync(join(tmpdir(), 'plantsync-ca-'));
  caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificates.ca);
});
afterAll(async () => {
  await redis.close();
  rmSync(folder, { recursive: true });
});

const addressOf = (url: string) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

/**
 * Makes a plant whose Postgres, InfluxDB and Redis are reached by TLS, with certificates of an authority of
 * our own.
 */
async function makeEncryptedPlant() {
  const points = [[new Date(Date.now() - 3_600_000).toISOString(), 1]] as const;
  const plant = await makeStubPlant(smallPlant(points));
  const { postgres, influx } = plant.databases.sections;
  const fronts = {
    postgres: await startTlsFront(addressOf(postgres.url), certificates.server, { negotiates: true }),
    influx: await startTlsFront(addressOf(influx.url), certificates.server),
    redis: await startTlsFront(addressOf(redis.url), certificates.server),
  };
  const url = new URL(postgres.url);
  url.port = String(fronts.postgres.port);
  url.searchParams.delete('sslmode');
  const configure = (trust: { caFile?: string }, sslmode?: string) => {
    if (sslmode !== undefined) url.searchParams.set('sslmode', sslmode);
    plant.configure({
      ...plant.config,
      postgres: { ...postgres, url: url.href, ...trust },
      influx: { ...influx, url: `https://127.0.0.1:${fronts.influx.port}`, ...trust },
      redis: {
        url: `rediss://127.0.0.1:${fronts.redis.port}`,
        prefix: plant.databases.db.database,
        ...trust,
      },
    });
  };
  return { plant, fronts, configure };
}

async function readChecks(folderOfPlant: string) {
  const { stdout } = await runCommand(folderOfPlant, ['check', '--json']);
  const checks: { what: string; ok: boolean; detail: string }[] = JSON.parse(stdout).checks;
  return checks.filter(({ what }) => ['PostgreSQL', 'InfluxDB', 'Redis'].includes(what));
}

describe('servers whose certificates an own authority has signed', () => {
  it('are used with caFile, from check to verify', async () => {
    const { plant, fronts, configure } = await makeEncryptedPlant();
    configure({ caFile });
    expect((await readChecks(plant.folder)).filter(({ ok }) => !ok)).toEqual([]);
    for (const command of [['sync'], ['verify', '--from', '-1d']]) {
      const { code, stdout, stderr } = await runCommand(plant.folder, command);
      expect(code, stdout + stderr).toBe(0);
    }
    expect(await plant.databases.influxPoints('pump1.temp')).toMatchObject({ values: [1] });
    for (const front of Object.values(fronts)) expect(front.encrypted()).toBeGreaterThan(0);
  });

  it('are refused without it, each with the name of the reason', async () => {
    const { plant, configure } = await makeEncryptedPlant();
    configure({}, 'verify-full');
    const checks = await readChecks(plant.folder);
    expect(checks.map(({ ok }) => ok)).toEqual([false, false, false]);
    for (const { what, detail } of checks)
      expect(detail).toMatch(
        new RegExp(
          `certificate.*${what === 'PostgreSQL' ? 'postgres' : what === 'Redis' ? 'redis' : 'influx'}\\.caFile`,
        ),
      );
  });
});

describe('PostgreSQL with sslmode=prefer', () => {
  it('is used with TLS where it has it, and without where it has none', async () => {
    const { plant, fronts } = await makeEncryptedPlant();
    const url = new URL(plant.databases.sections.postgres.url);
    url.searchParams.set('sslmode', 'prefer');
    const { password } = plant.databases.sections.postgres;
    for (const [port, encrypted] of [
      [url.port, false],
      [fronts.postgres.port, true],
    ]) {
      url.port = String(port);
      const before = fronts.postgres.encrypted();
      const db = openPostgres({ url: url.href, password }, silentLog);
      expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await db.close();
      expect(fronts.postgres.encrypted() > before).toBe(encrypted);
    }
  });
});

describe('a user of Redis', () => {
  const password = 'pa55:w@rd/%41';
  const settings = (user: string): RedisSettings => {
    const url = new URL(redis.url);
    url.username = user;
    return { url: url.href, password, prefix: 'mine', concurrency: { live: 1, sync: 1, bulk: 1 } };
  };
  /** Makes a user as the documentation says, and changes its rights. */
  async function makeUser(name: string, ...changes: string[]): Promise<RedisConnections> {
    const text = readFileSync('docs/scaling.md', 'utf8');
    const [, rights = ''] = /ACL SETUSER plantsync ([^`]*)```/.exec(text) ?? [];
    const words = rights.replace('PASSWORD', password).replace('plantsync:', 'mine:').trim().split(/\s+/);
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', name, ...words, ...changes);
    admin.disconnect();
    const connections = new RedisConnections(settings(name), silentLog);
    onTestFinished(() => connections.close());
    return connections;
  }

  it('with the rights of the documentation is enough for the queues, with the password beside the user of the URL', async () => {
    const connections = await makeUser('documented');
    expect(await connections.connect()).toMatchObject({ version: expect.stringMatching(/^\d/) });
    const queues = openQueues({ connection: connections.hasty, prefix: 'mine' }, () => undefined);
    const worked = new Promise((resolve) => {
      const worker = new Worker('live', async (job) => resolve(job.name), {
        connection: connections.patient,
        prefix: 'mine',
      });
      onTestFinished(() => worker.close(true));
    });
    await queues.live.upsertJobScheduler('poll', { every: 100 }, { name: 'poll' });
    expect(await worked).toBe('poll');
    expect(await queues.live.getJobCounts()).toBeDefined();
    await closeQueues(queues);
  });

  it.each([
    ['may not ask for info', ['-info'], /NOPERM.*info.*the login is right, but .*docs\/scaling\.md/],
    ['may not write its keys', ['resetkeys', '~other:*'], /NOPERM.*the login is right/],
    [
      'has another password',
      ['resetpass', '>other'],
      /WRONGPASS.*correct the user in redis\.url or redis\.password/,
    ],
  ])('that %s is told what is wrong', async (what, changes, said) => {
    const connections = await makeUser(what.replaceAll(' ', '-'), ...changes);
    await expect(connections.connect()).rejects.toThrow(said);
  });
});
