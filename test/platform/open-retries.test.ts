import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { InterruptedError, PlatformError } from '../../src/errors.ts';
import { always, first, generalError } from '../support/stub/answers.ts';
import { openClient, openStubClient } from '../support/stub/client.ts';
import type { StubAnswer } from '../support/stub/platform.ts';

const users = '/openapi/users/v1';
const history = '/openapi/objects/v1/properties/history';
const oneUser = { lists: { [users]: [{ username: 'ann' }] } };
const page = { items: [{ username: 'ann' }], total: 1, bytes: expect.any(Number) };
const window = { series: ['pump1.temp'], fromSec: 0, toSec: 60, limit: 10, offset: 0 };

describe('a read', () => {
  it.each<[string, StubAnswer]>([
    ['HTTP 500', { status: 500 }],
    ['HTTP 502 with HTML', { status: 502, text: '<html>bad gateway</html>' }],
    ['HTTP 503', { status: 503 }],
    ['HTTP 408', { status: 408 }],
    ['HTTP 425', { status: 425 }],
    ['HTTP 429', { status: 429 }],
    ['code 800002', generalError('internal', '800002')],
    ['code 800001', generalError('operation failed')],
    ['code 800002 with HTTP 200', { body: { code: 800002, message: 'internal' } }],
    ['a reset', { fault: 'reset' }],
    ['a truncated body', { fault: 'truncated', body: { list: [{ username: 'wrong' }] } }],
    ['HTML with HTTP 200', { text: '<html>login</html>' }],
    ['broken JSON', { text: '{"list":[{"username":"wrong"' }],
    ['an empty body', { text: '' }],
    ['a reply without its list', { body: { items: [] } }],
  ])('is tried again after %s', async (_, answer) => {
    const { platform, waitsMs } = await openStubClient({
      ...oneUser,
      answer: first(users, [answer, answer]),
    });
    expect(await platform.listPage('listUsers', {})).toEqual(page);
    expect(waitsMs).toHaveLength(2);
    expect(platform.stats()).toMatchObject({ requests: 4, retries: 2, failures: 0 });
  });

  it('is tried again by POST too, also on a connection that the server closes', async () => {
    const { stub, platform } = await openStubClient({
      history: { 'pump1.temp': [['1970-01-01T00:00:01Z', 7]] },
      answer: first(history, [{ fault: 'reset' }, { fault: 'reset' }]),
    });
    const { columns } = await platform.readHistory(window);
    const place = { name: 'pump1.temp', fn: undefined, timeAt: 0, valueAt: 1, sparse: false };
    expect(columns).toEqual([{ ...place, rows: expect.anything() }]);
    expect(await columns[0]?.rows.list()).toEqual([['1970-01-01T00:00:01Z', 7]]);
    expect(stub.requestsTo(history).map(({ status }) => status)).toEqual([0, 0, 200]);
  });

  it.each<[string, StubAnswer, object, number]>([
    ['HTTP 500', { status: 500 }, { kind: 'unavailable', action: 'retry', status: 500 }, 5],
    ['resets', { fault: 'reset' }, { kind: 'unavailable', action: 'retry', unreachable: false }, 5],
    [
      'code 800002',
      generalError('x', '800002'),
      { kind: 'unavailable', platformCode: '800002', status: 400 },
      5,
    ],
    ['code 800001', generalError('x'), { kind: 'failed', action: 'skip', platformCode: '800001' }, 3],
    ['code 800003', generalError('x', '800003'), { kind: 'parameter', action: 'skip' }, 1],
    ['a missing thing', generalError('user not found'), { kind: 'missing', action: 'skip' }, 1],
    ['HTML', { text: '<html>' }, { kind: 'malformed', action: 'skip' }, 3],
    ['HTTP 413', { status: 413 }, { kind: 'too_large', action: 'skip' }, 1],
    ['HTTP 404', { status: 404 }, { kind: 'failed', action: 'stop' }, 1],
    ['a redirect', { status: 302, headers: { location: '/login' } }, { kind: 'failed', action: 'stop' }, 1],
  ])('gives up on lasting %s with its kind', async (_, answer, expected, requests) => {
    const { stub, platform } = await openStubClient({ answer: always(users, answer) });
    const error = await platform.listPage('listUsers', {}).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ operation: 'listUsers', ...expected });
    expect(stub.requestsTo(users)).toHaveLength(requests);
    expect(platform.stats().failures).toBe(1);
  });

  it('waits at least as long as Retry-After says', async () => {
    const answers = [{ status: 503, headers: { 'retry-after': '7' } }];
    const { platform, waitsMs } = await openStubClient({ ...oneUser, answer: first(users, answers) });
    await platform.listPage('listUsers', {});
    expect(waitsMs).toEqual([expect.closeTo(7250, -3)]);
    expect(waitsMs[0]).toBeGreaterThanOrEqual(7000);
  });

  it('does not wait where Retry-After lies beyond its deadline', async () => {
    const answer = { status: 503, headers: { 'retry-after': '3600' } };
    const { stub, platform, waitsMs } = await openStubClient({ answer: always(users, answer) });
    await expect(platform.listPage('listUsers', {})).rejects.toMatchObject({
      kind: 'unavailable',
      status: 503,
    });
    expect(waitsMs).toEqual([]);
    expect(stub.requestsTo(users)).toHaveLength(1);
  });

  it('ends when its deadline is over', async () => {
    let nowMs = Date.now();
    const { stub, platform } = await openStubClient(
      { answer: always(users, { status: 500 }) },
      { retries: 1000, deadlineMs: 60_000 },
      {
        clock: () => nowMs,
        sleep: async (ms) => {
          nowMs += ms;
        },
        random: () => 1,
      },
    );
    await expect(platform.listPage('listUsers', {})).rejects.toMatchObject({ kind: 'unavailable' });
    expect(stub.requestsTo(users)).toHaveLength(8);
  });

  it('takes the retries and the deadline of the call before its own', async () => {
    const script = { answer: always(users, { status: 500 }) };
    const { stub, platform } = await openStubClient(script, {}, { random: () => 1 });
    await expect(platform.listPage('listUsers', {}, { retries: 0 })).rejects.toThrow(PlatformError);
    expect(stub.requestsTo(users)).toHaveLength(1);
    await expect(platform.listPage('listUsers', {}, { deadlineMs: 400 })).rejects.toThrow(PlatformError);
    expect(stub.requestsTo(users)).toHaveLength(2);
  });

  it.each<[string, StubAnswer]>([
    ['is never answered', { fault: 'silent' }],
    ['is answered too slowly', { delayMs: 5000, body: { list: [] } }],
  ])('that %s ends as a time-out that names its path', async (_, answer) => {
    const { stub, platform } = await openStubClient(
      { answer: always(users, answer) },
      { requestTimeoutMs: 100 },
    );
    await expect(platform.listPage('listUsers', {})).rejects.toMatchObject({
      kind: 'timeout',
      action: 'retry',
      message: expect.stringMatching(
        /^listUsers \(GET \/openapi\/users\/v1\) at .* after 2 attempts: no complete/,
      ),
    });
    expect(stub.requestsTo(users)).toHaveLength(2);
  });

  it('is refused while it arrives where its reply is too large, with or without a stated length', async () => {
    const body = { list: ['x'.repeat(200_000)] };
    const text = JSON.stringify(body);
    for (const answer of [{ body }, { text, headers: { 'transfer-encoding': 'chunked' } }]) {
      const { platform } = await openStubClient({ answer: always(users, answer) }, { maxBodyBytes: 100_000 });
      await expect(platform.listPage('listUsers', {})).rejects.toMatchObject({
        kind: 'too_large',
        message: expect.stringContaining('platform.maxBody'),
      });
      // Other calls still work over the connection.
      expect(await platform.call('getHealth', {})).toEqual({ result: 'ok' });
    }
  });

  it('ends at once with an InterruptedError when its signal aborts', async () => {
    const { platform } = await openStubClient({ answer: always(users, { fault: 'silent' }) });
    const controller = new AbortController();
    const ended = Promise.allSettled(
      Array.from({ length: 21 }, () => platform.listPage('listUsers', {}, { signal: controller.signal })),
    );
    setTimeout(() => controller.abort(), 50);
    for (const outcome of await ended)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(InterruptedError) });
    await expect(platform.listPage('listUsers', {}, { signal: controller.signal })).rejects.toThrow(
      InterruptedError,
    );
    expect(platform.stats().failures).toBe(0);
  });

  it('ends when the platform is closed', async () => {
    const { platform } = await openStubClient({ answer: always(users, { fault: 'silent' }) });
    const reading = platform.listPage('listUsers', {});
    setTimeout(() => platform.close(), 50);
    await expect(reading).rejects.toThrow(InterruptedError);
  });
});

describe('an unreachable platform', () => {
  it.each([
    ['refuses connections', async () => `http://127.0.0.1:${await closedPort()}`, /ECONNREFUSED/],
    [
      'refuses connections of localhost',
      async () => `http://localhost:${await closedPort()}`,
      /ECONNREFUSED/,
    ],
    ['has no address', async () => 'http://no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/],
  ])('that %s is told from a failing one after a few attempts', async (_, baseUrl, reason) => {
    const { platform, waitsMs } = openClient({ baseUrl: await baseUrl() });
    await expect(platform.listPage('listUsers', {})).rejects.toMatchObject({
      kind: 'unavailable',
      unreachable: true,
      operation: 'getClientAccessToken',
      message: expect.stringMatching(reason),
    });
    expect(waitsMs).toHaveLength(2);
  });
});

/** Finds a port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
