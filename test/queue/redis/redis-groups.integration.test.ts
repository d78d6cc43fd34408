import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { openTestLedger, type TestLedger } from '../../ledger/test-ledger.ts';
import { makeTestCertificates, type TestCertificates } from '../../support/network/test-certificates.ts';
import { makeFolder } from '../../support/servers/process.ts';
import { type RedisMember, startTlsRedis } from '../../support/servers/redis-groups.ts';
import { until } from '../recorded-job.ts';
import { allowExcess, connect, failOverTwice, findExcess, workThrough } from './redis-load.ts';
import {
  administer,
  type ClusterSite,
  openClusterSite,
  openSentinelSite,
  PASSWORD,
  type SentinelSite,
  USER,
} from './redis-site.ts';

let ledger: TestLedger;
let certificates: TestCertificates;
let sites: { sentinels: SentinelSite; cluster: ClusterSite; alone: RedisMember };
beforeAll(async () => {
  certificates = await makeTestCertificates();
  const [sentinels, cluster, alone, opened] = await Promise.all([
    openSentinelSite('s'),
    openClusterSite('c', certificates),
    startTlsRedis({ password: PASSWORD, certificates }),
    openTestLedger(),
  ]);
  sites = { sentinels, cluster, alone };
  ledger = opened;
});
afterAll(() => Promise.all([...Object.values(sites), ledger].map((each) => each.close())));

/** Lets an administrator change the user of plantsync at each server, and ends its connections there. */
async function changeUser(members: readonly RedisMember[], ...changes: readonly string[]): Promise<void> {
  for (const member of members) {
    await administer(member, 'ACL', 'SETUSER', USER, ...changes);
    await administer(member, 'CLIENT', 'KILL', 'USER', USER);
  }
}

describe('a trouble with the servers is told with its key, and is over without a restart', () => {
  it.for([
    [
      'a password of the servers',
      ['resetpass', '>other'],
      'redis.wrong_password',
      /WRONGPASS.*: correct redis\.username or redis\.password/,
    ],
    ['a right', ['-set'], 'redis.no_rights', /NOPERM.*'set'.*docs\/scaling\.md/],
  ] as const)('%s', async ([, changes, code, message], { expect, onTestFinished }) => {
    for (const { settings, servers } of [sites.sentinels, sites.cluster]) {
      const redis = connect(settings, onTestFinished);
      await redis.connect();
      await changeUser(servers, ...changes);
      await expect
        .poll(() => redis.look().catch((error) => error))
        .toMatchObject({
          code,
          message: expect.stringMatching(message),
        });
      await changeUser(servers, 'resetpass', `>${PASSWORD}`, '+set');
      await expect.poll(() => redis.look().catch((error) => error)).toMatch(/^masters? 127/);
    }
  });

  it('a password or a name of the sentinels', async ({ expect, onTestFinished }) => {
    const { settings, group } = sites.sentinels;
    const wrong = { ...settings, sentinels: { ...settings.sentinels, password: 'later', master: 'later' } };
    const redis = connect(wrong as typeof settings, onTestFinished);
    await expect(redis.connect()).rejects.toMatchObject({
      code: 'redis.wrong_password',
      message: expect.stringMatching(
        /^Redis sentinel at .*WRONGPASS.*redis\.sentinels\.username or redis\.sentinels\.password/,
      ),
    });
    await changeUser(group.sentinels, '>later');
    await expect
      .poll(() => redis.connect().catch((error) => error))
      .toMatchObject({
        code: 'redis.unknown_master',
        message: expect.stringMatching(
          /: the sentinels watch no master of this name: correct redis\.sentinels\.master/,
        ),
      });
    const { port } = await group.master();
    for (const sentinel of group.sentinels) {
      await administer(sentinel, 'SENTINEL', 'MONITOR', 'later', '127.0.0.1', String(port), '3');
      await administer(sentinel, 'SENTINEL', 'SET', 'later', 'auth-pass', 'admin');
    }
    await expect.poll(() => redis.look().catch((error) => error)).toMatch(`master 127.0.0.1:${port}`);
    for (const sentinel of group.sentinels) await administer(sentinel, 'SENTINEL', 'REMOVE', 'later');
  });

  it('an unknown authority, and a client without a certificate', async ({ expect, onTestFinished }) => {
    const { alone } = sites;
    const others = await makeTestCertificates();
    const url = `rediss://127.0.0.1:${alone.port}`;
    const settings = { url, password: PASSWORD, ca: others.ca, ...others.client };
    const redis = connect(settings, onTestFinished);
    await expect(redis.connect()).rejects.toMatchObject({
      code: 'redis.tls_failed',
      message: expect.stringMatching(/certificate is not accepted .*redis\.caFile/),
    });
    const stranger = connect({ url, password: PASSWORD, ca: certificates.ca }, onTestFinished);
    await expect(stranger.connect()).rejects.toMatchObject({
      code: 'redis.tls_failed',
      message: expect.stringMatching(/redis\.certFile and redis\.keyFile/),
    });
    const plain = connect({ url: url.replace('rediss', 'redis'), password: PASSWORD }, onTestFinished);
    await expect(plain.connect()).rejects.toMatchObject({ code: 'redis.unreachable' });
    const folder = await makeFolder('renewed');
    const files = { 'ca-cert': others.ca, cert: others.server.cert, key: others.server.key };
    const renewed = Object.entries(files).map(async ([name, content]) => {
      await writeFile(join(folder, name), content);
      return [`tls-${name}-file`, join(folder, name)];
    });
    await administer(alone, 'CONFIG', 'SET', ...(await Promise.all(renewed)).flat());
    await until(() => redis.connect().then(Boolean, () => false));
  });

  it('a server of another kind', async ({ expect, onTestFinished }) => {
    const { sentinels, cluster } = sites;
    const [node] = cluster.servers as [RedisMember];
    const [server] = sentinels.servers as [RedisMember];
    const [sentinel] = sentinels.group.sentinels as [RedisMember];
    const at = ({ port }: RedisMember) => [{ host: '127.0.0.1', port }];
    const { username, password, ca, cert, key } = cluster.settings;
    const { sentinels: watchers } = sentinels.settings;
    const cases = [
      [
        { url: `rediss://${username}@127.0.0.1:${node.port}`, password, ca, cert, key },
        /name it in redis\.cluster/,
      ],
      [
        { url: `redis://127.0.0.1:${sentinel.port}`, password: 'sentinel-admin' },
        /name it in redis\.sentinels\.nodes/,
      ],
      [{ cluster: at(server), password: 'admin' }, /no node of a cluster: remove redis\.cluster/],
      [
        {
          ...sentinels.settings,
          sentinels: { ...watchers, nodes: at(server), username: undefined, password: 'admin' },
        },
        /is no sentinel: correct redis\.sentinels\.nodes/,
      ],
    ] as const;
    for (const [settings, message] of cases)
      await expect(
        connect(settings as typeof sentinels.settings, onTestFinished).connect(),
      ).rejects.toMatchObject({
        code: 'redis.wrong_kind',
        message: expect.stringMatching(message),
      });
  });
});

describe.each(['sentinels', 'cluster'] as const)(
  'a failover under load with %s, of a master that stands still, and then of one that dies,',
  (kind) => {
    it('loses no run and no piece, and keeps to the rate of requests', async ({ expect, onTestFinished }) => {
      const site = sites[kind];
      const found = await workThrough(site, {
        db: ledger.db,
        onFinished: onTestFinished,
        upset: (goesOn) => failOverTwice(site, goesOn),
      });
      expect(found.given.filter((piece) => found.results.get(piece) !== `done ${piece}`)).toEqual([]);
      expect(found.jobs.runs.filter(({ ended }) => !ended)).toEqual([]);
      expect(found.reasons).toEqual([]);
      expect(findExcess(found.takes)).toBeLessThanOrEqual(allowExcess(found.takes, 2));
      expect(await found.redis.describeServers()).toMatch(/master.* away/);
    });
  },
);

describe('a client of sentinels', () => {
  it('comes back although a failover happens while it asks for the master', async ({
    expect,
    onTestFinished,
  }) => {
    const { settings, group } = sites.sentinels;
    const redis = connect(settings, onTestFinished);
    await redis.connect();
    const [first, second, last] = group.sentinels as [RedisMember, RedisMember, RedisMember];
    const before = await group.master();
    const listeners = async () =>
      String(await administer(last, 'CLIENT', 'LIST')).match(new RegExp(`sub=1 .*user=${USER}`, 'g'));
    await until(async () => (await listeners())?.length === 2);
    // The client asks the first sentinel, which does not answer, while the last one tells of a failover.
    const wakeUp = async () => {
      for (const silent of [first, second]) await silent.signal('SIGCONT');
    };
    onTestFinished(wakeUp);
    for (const silent of [first, second]) await silent.signal('SIGSTOP');
    await administer(before, 'CLIENT', 'KILL', 'USER', USER);
    await administer(last, 'SENTINEL', 'FAILOVER', group.name);
    await expect.poll(() => redis.patient.get('s:none')).toBe(null);
    await expect.poll(() => redis.look().catch((error) => error)).toMatch(/^master 127/);
    await wakeUp();
    await until(async () => (await group.master()) !== before);
  });

  it('prints nothing of its own about a sentinel that does not answer', async ({
    expect,
    onTestFinished,
  }) => {
    const printed = vi.spyOn(console, 'error');
    onTestFinished(() => printed.mockRestore());
    let calls = 0;
    const silent = createServer(() => {
      calls += 1;
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { settings } = sites.sentinels;
    const { port } = silent.address() as AddressInfo;
    const nodes = [...(settings.sentinels?.nodes ?? []), { host: '127.0.0.1', port }];
    const watched = { ...settings, sentinels: { ...settings.sentinels, nodes } } as typeof settings;
    const redis = connect(watched, onTestFinished);
    await redis.connect();
    // Each of two clients listens there, and calls again after it got no answer.
    await until(() => calls > 2);
    expect(printed).not.toHaveBeenCalled();
  });
});
