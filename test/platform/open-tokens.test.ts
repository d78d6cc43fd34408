import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/platform/platform.ts';
import type { PlatformOptions } from '../../src/platform/platform-options.ts';
import { platformDefaults } from '../../src/platform/platform-options.ts';
import { createMemoryTokenStore } from '../../src/platform/token/token-store.ts';
import { generalError } from '../support/stub/answers.ts';
import { openClient, openStubClient } from '../support/stub/client.ts';
import type { StubPlatform } from '../support/stub/platform.ts';

const users = '/openapi/users/v1';
const inMilliseconds = { dialect: { ...platformDefaults.dialect, expiresIn: 'milliseconds' } } as const;

function entries(count: number): { username: string }[] {
  return Array.from({ length: count }, (_, index) => ({ username: `u${index}` }));
}

/** Reads pages of a list of 100 records each, one after the other. */
async function readAll(platform: Platform, pages: number): Promise<number> {
  let count = 0;
  for (let page = 1; page <= pages; page += 1)
    count += (await platform.listPage('listUsers', { query: { page } })).items.length;
  return count;
}

function requestsPerPage(stub: StubPlatform): number[] {
  const counts = new Map<string | null, number>();
  for (const { query } of stub.requestsTo(users))
    counts.set(query.get('page'), (counts.get(query.get('page')) ?? 0) + 1);
  return [...counts.values()];
}

function paths(stub: StubPlatform): string[] {
  return stub.tokenRequests().map(({ path }) => path.split('/').at(-1) ?? '');
}

describe('the token of a platform', () => {
  it('is asked for once for a whole list, its lifetime given as text', async () => {
    const { stub, platform } = await openStubClient({ lists: { [users]: entries(1000) } });
    expect(await readAll(platform, 10)).toBe(1000);
    expect(paths(stub)).toEqual(['accessToken']);
    expect(stub.requestsTo(users)).toHaveLength(10);
    expect(platform.stats()).toMatchObject({ requests: 11, tokens: 1, retries: 0, failures: 0 });
  });

  it('is asked for once by many calls at the same time', async () => {
    const { stub, platform } = await openStubClient({ lists: { [users]: entries(1) } });
    await Promise.all(Array.from({ length: 20 }, () => readAll(platform, 1)));
    expect(paths(stub)).toEqual(['accessToken']);
  });

  it('is renewed before it ends, by refresh', async () => {
    const script = { lists: { [users]: entries(1000) }, expiresIn: 600, tokenLivesMs: 600, delayMs: 100 };
    const { stub, platform } = await openStubClient(script, inMilliseconds);
    expect(await readAll(platform, 10)).toBe(1000);
    expect(paths(stub).length).toBeGreaterThanOrEqual(2);
    expect(paths(stub).length).toBeLessThanOrEqual(11);
    expect(paths(stub)).toContain('refreshToken');
    expect(Math.max(...requestsPerPage(stub))).toBeLessThanOrEqual(2);
  });

  it('is granted again after each refused refresh, with no more refreshes than data requests', async () => {
    const { stub, platform } = await openStubClient(
      {
        lists: { [users]: entries(800) },
        expiresIn: 300,
        tokenLivesMs: 300,
        delayMs: 100,
        answer: ({ path }) =>
          path.endsWith('/refreshToken') ? generalError('refreshToken invalid') : undefined,
      },
      inMilliseconds,
    );
    expect(await readAll(platform, 8)).toBe(800);
    const [first, ...later] = paths(stub);
    expect(first).toBe('accessToken');
    expect(later.length).toBeGreaterThan(0);
    expect(later.every((path, at) => path === (at % 2 === 0 ? 'refreshToken' : 'accessToken'))).toBe(true);
    const grants = stub.tokenRequests().filter(({ path }) => path.endsWith('/accessToken'));
    expect(grants.every(({ query }) => query.get('grantType') === 'client_credential')).toBe(true);
    expect(later.length / 2).toBeLessThanOrEqual(stub.requestsTo(users).length);
  });

  it('is used once even where it ends before it arrives', async () => {
    const { stub, platform } = await openStubClient(
      { lists: { [users]: entries(300) }, expiresIn: 1 },
      inMilliseconds,
    );
    expect(await readAll(platform, 3)).toBe(300);
    expect(paths(stub).length).toBeLessThanOrEqual(3);
  });

  it('is renewed once when it is revoked in the middle of a list', async () => {
    const { stub, platform } = await openStubClient({ lists: { [users]: entries(500) } });
    expect(await readAll(platform, 2)).toBe(200);
    stub.revokeTokens();
    expect(await readAll(platform, 5)).toBe(500);
    expect(paths(stub)).toEqual(['accessToken', 'refreshToken']);
    expect(stub.requestsTo(users).map(({ status }) => status)).toEqual([
      200, 200, 401, 200, 200, 200, 200, 200,
    ]);
  });

  it('is renewed once when many requests learn at once that it was revoked', async () => {
    const { stub, platform } = await openStubClient({ lists: { [users]: entries(100) }, delayMs: 20 });
    await readAll(platform, 1);
    stub.revokeTokens();
    await Promise.all(Array.from({ length: 10 }, () => readAll(platform, 1)));
    expect(paths(stub)).toEqual(['accessToken', 'refreshToken']);
  });

  it('is renewed on an HTTP 400 that speaks of the token', async () => {
    const { stub, platform } = await openStubClient({
      lists: { [users]: entries(1) },
      answer: ({ path, token }) =>
        path === users && token === 'AT-1' ? generalError('token expired') : undefined,
    });
    expect(await readAll(platform, 1)).toBe(1);
    expect(paths(stub)).toEqual(['accessToken', 'refreshToken']);
  });

  it('is shared by all clients of one store', async () => {
    const tokens = createMemoryTokenStore();
    const { stub, platform } = await openStubClient({ lists: { [users]: entries(1) } }, {}, { tokens });
    const other = openClient({ baseUrl: stub.baseUrl }, { tokens }).platform;
    await Promise.all([readAll(platform, 1), readAll(other, 1)]);
    stub.revokeTokens();
    await Promise.all([readAll(platform, 1), readAll(other, 1)]);
    expect(paths(stub)).toEqual(['accessToken', 'refreshToken']);
  });

  it('outlives the caller that asked for it first', async () => {
    const { stub, platform } = await openStubClient({
      lists: { [users]: entries(1) },
      answer: async (request, stub) =>
        request.path.startsWith('/oauth2/') ? { ...stub.defaultAnswer(request), delayMs: 50 } : undefined,
    });
    const controller = new AbortController();
    const first = platform.listPage('listUsers', {}, { signal: controller.signal });
    const second = readAll(platform, 1);
    controller.abort();
    await expect(first).rejects.toThrow('interrupted');
    expect(await second).toBe(1);
    expect(paths(stub)).toEqual(['accessToken']);
  });

  it.each([
    ['header', 'X-Token', '', 'AT-1'],
    ['header', 'Authorization', 'Token', 'Token AT-1'],
    ['query', 'access_token', 'Bearer', 'AT-1'],
  ] as const)(
    'goes out in the %s %s with scheme "%s" where the dialect says so',
    async (place, name, scheme, sent) => {
      const dialect: PlatformOptions['dialect'] = {
        ...platformDefaults.dialect,
        token: { in: place, name, scheme },
      };
      const { stub, platform } = await openStubClient(
        { answer: ({ path }) => (path === users ? { body: { list: [] } } : undefined) },
        { dialect },
      );
      await platform.listPage('listUsers', {});
      const [request] = stub.requestsTo(users);
      expect(place === 'header' ? request?.headers[name.toLowerCase()] : request?.query.get(name)).toBe(sent);
    },
  );
});
