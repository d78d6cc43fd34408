import { afterEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { makeTestCertificates } from '../support/network/test-certificates.ts';
import { startTestProxy } from '../support/network/test-proxy.ts';
import { openClient, openStubClient } from '../support/stub/client.ts';

const { ca, server, client } = await makeTestCertificates();

describe('a connection to the platform', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('trusts the authority that the options name, and no other', async () => {
    const { platform } = await openStubClient({ tls: server }, { ca });
    expect(await platform.call('getHealth', {})).toEqual({ result: 'ok' });
    const distrustful = await openStubClient({ tls: server });
    await expect(distrustful.platform.call('getHealth', {})).rejects.toMatchObject({
      kind: 'unavailable',
      unreachable: true,
      message: expect.stringMatching(
        /failed: TLS failed \(\w*CERT\w*|UNABLE_TO_VERIFY\w*\); check platform\.ca/,
      ),
    });
    expect(distrustful.waitsMs).toEqual([]);
  });

  it('says where https meets a port that speaks plain http', async () => {
    const plain = await openStubClient({});
    const baseUrl = plain.stub.baseUrl.replace('http:', 'https:');
    const { platform } = openClient({ baseUrl });
    await expect(platform.call('getHealth', {})).rejects.toThrow(
      /speaks plain http, not https; check scheme/,
    );
  });

  it('shows the client certificate to a platform that asks for one', async () => {
    const tls = { ...server, ca, requestCert: true };
    const { platform } = await openStubClient({ tls }, { ca, ...client });
    expect(await platform.call('getHealth', {})).toEqual({ result: 'ok' });
    const bare = await openStubClient({ tls }, { ca });
    await expect(bare.platform.call('getHealth', {})).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('goes to https through a tunnel of the proxy, with the proxy user of the URL', async () => {
    const proxy = await startTestProxy();
    const url = proxy.url.replace('//', '//user:p%40ss@');
    const { stub, platform } = await openStubClient({ tls: server }, { ca, proxy: url });
    expect(await platform.call('getHealth', {})).toEqual({ result: 'ok' });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${new URL(stub.baseUrl).host}`]));
    expect(proxy.credentials[0]).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });

  it('goes to http through the proxy without a tunnel', async () => {
    const proxy = await startTestProxy();
    const { stub, platform } = await openStubClient({ prefix: '/gw' }, { proxy: proxy.url });
    expect(await platform.call('getHealth', {})).toEqual({ result: 'ok' });
    expect(proxy.asked).toEqual([
      `GET ${new URL(stub.baseUrl).origin}`,
      `GET ${new URL(stub.baseUrl).origin}`,
    ]);
    expect(stub.journal.map(({ rawPath }) => rawPath)).toEqual([
      '/gw/oauth2/client/v1/accessToken',
      '/gw/openapi/health',
    ]);
  });

  it('takes the proxy of the environment, but not for hosts that it excludes', async () => {
    const proxy = await startTestProxy();
    for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'NO_PROXY'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const through = await openStubClient({ tls: server }, { ca });
    await through.platform.call('getHealth', {});
    expect(proxy.asked.length).toBeGreaterThan(0);
    const before = proxy.asked.length;
    for (const excluded of ['127.0.0.1', '127.0.0.0/8', '127.0.0.*']) {
      vi.stubEnv('NO_PROXY', excluded);
      const direct = await openStubClient({ tls: server }, { ca });
      await direct.platform.call('getHealth', {});
      expect(proxy.asked.length, excluded).toBe(before);
    }
  });

  it('names the proxy setting where the proxy cannot be reached', async () => {
    const { platform } = await openStubClient({}, { proxy: 'http://127.0.0.1:1' });
    await expect(platform.call('getHealth', {})).rejects.toMatchObject({
      unreachable: true,
      message: expect.stringContaining('the proxy'),
    });
  });

  it('is refused at once, without quoting it, where a certificate or the proxy is not usable', () => {
    const baseUrl = 'https://plant.test';
    expect(() => openClient({ baseUrl, ca: 'no PEM', cert: 'canary', key: 'canary' })).toThrow(UsageError);
    expect(() => openClient({ baseUrl, cert: 'canary', key: 'canary' })).not.toThrow(/canary/);
    expect(() => openClient({ baseUrl, proxy: 'user:canary' })).toThrow(UsageError);
    expect(() => openClient({ baseUrl, proxy: 'user:canary' })).not.toThrow(/canary/);
  });

  it('keeps the prefix of the base URL and never doubles a slash', async () => {
    const { stub, platform } = await openStubClient({ prefix: '/gw' });
    const slashed = await openStubClient({}, { baseUrl: `${stub.baseUrl}/` });
    await platform.listPage('listUsers', {});
    await slashed.platform.listPage('listUsers', {});
    expect(stub.journal).toHaveLength(4);
    expect(stub.journal.every(({ rawPath }) => /^\/gw\/(openapi|oauth2)\//.test(rawPath))).toBe(true);
  });
});

describe('the load on the platform', () => {
  it('never exceeds maxConcurrency', async () => {
    const { stub, platform } = await openStubClient({ delayMs: 2 }, { maxConcurrency: 4 });
    await Promise.all(Array.from({ length: 100 }, () => platform.listPage('listUsers', {})));
    expect(stub.mostOpen()).toBeGreaterThan(1);
    expect(stub.mostOpen()).toBeLessThanOrEqual(4);
    expect(platform.stats().concurrency).toBeLessThanOrEqual(4);
  });

  it('lets current values go before lists, and both before a backfill', async () => {
    const { stub, platform } = await openStubClient({ delayMs: 5 }, { maxConcurrency: 1 });
    await platform.call('getHealth', {});
    const read = { series: ['pump1.temp'], fromSec: 0, toSec: 1, limit: 1, offset: 0 };
    const before = stub.journal.length;
    await Promise.all([
      ...[1, 2, 3].map(() => platform.readHistory(read, { priority: 'bulk' })),
      platform.listPage('listUsers', { query: { page: 1 } }),
      platform.readCurrent(['pump1.temp']),
    ]);
    const order = stub.journal.slice(before).map(({ path }) => path.split('/').at(-1));
    expect(order).toEqual(['history', 'current', 'v1', 'history', 'history']);
  });

  it('falls to one request at a time when everything fails', async () => {
    let failing = false;
    const { platform } = await openStubClient({
      delayMs: 2,
      answer: ({ path }) => (failing && path.startsWith('/openapi/') ? { status: 503 } : undefined),
    });
    await Promise.all(Array.from({ length: 200 }, () => platform.listPage('listUsers', {})));
    expect(platform.stats().concurrency).toBeGreaterThan(4);
    failing = true;
    await Promise.allSettled(Array.from({ length: 10 }, () => platform.listPage('listUsers', {})));
    expect(platform.stats().concurrency).toBe(1);
  });
});
