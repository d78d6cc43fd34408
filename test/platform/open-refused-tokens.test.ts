import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/platform/platform.ts';
import { generalError } from '../support/stub/answers.ts';
import { openStubClient } from '../support/stub/client.ts';

const users = '/openapi/users/v1';

async function readUsers(platform: Platform): Promise<number> {
  return (await platform.listPage('listUsers', {})).items.length;
}

describe('a token that is refused, or not available', () => {
  it('is not renewed again and again where the platform refuses every token', async () => {
    const { stub, platform } = await openStubClient({
      answer: ({ path }) =>
        path.startsWith('/openapi/') ? { status: 401, body: { message: 'no' } } : undefined,
    });
    for (const id of ['listUsers', 'listPersons', 'listOrgs', 'listNetworks'] as const)
      await expect(platform.listPage(id, {})).rejects.toMatchObject({
        kind: 'auth',
        action: 'stop',
        status: 401,
        message: expect.stringMatching(new RegExp(`^${id} \\(GET .*refused authorization`)),
      });
    expect(stub.tokenRequests().length).toBeLessThanOrEqual(2);
    expect(stub.requestsTo('/openapi').length).toBeLessThanOrEqual(5);
  });

  it('is renewed once, not for every call, where one operation alone is forbidden', async () => {
    const { stub, platform } = await openStubClient({
      lists: { [users]: [{ username: 'ann' }] },
      answer: ({ path }) => (path === '/openapi/networks/v1' ? { status: 403 } : undefined),
    });
    for (let count = 0; count < 5; count += 1) {
      await expect(platform.listPage('listNetworks', {})).rejects.toMatchObject({ kind: 'auth' });
      await readUsers(platform);
    }
    expect(stub.tokenRequests()).toHaveLength(2);
  });

  it('recovers when the platform accepts tokens again', async () => {
    let refusing = true;
    let nowMs = Date.now();
    const { stub, platform } = await openStubClient(
      {
        lists: { [users]: [{ username: 'ann' }] },
        answer: ({ path }) => (refusing && path === users ? { status: 401 } : undefined),
      },
      {},
      { clock: () => nowMs },
    );
    await expect(readUsers(platform)).rejects.toMatchObject({ kind: 'auth' });
    refusing = false;
    stub.revokeTokens();
    await expect(readUsers(platform)).rejects.toMatchObject({ kind: 'auth' });
    nowMs += 61_000;
    expect(await readUsers(platform)).toBe(1);
  });

  it('is asked for again on HTTP 429, 500 and a broken connection', async () => {
    const faults = [{ status: 429 }, { status: 500, text: '<html>' }, { fault: 'reset' }] as const;
    let count = 0;
    const { platform } = await openStubClient({
      lists: { [users]: [{ username: 'ann' }] },
      answer: ({ path }) => (path.startsWith('/oauth2/') ? faults[count++] : undefined),
    });
    expect(await readUsers(platform)).toBe(1);
    expect(count).toBe(4);
  });

  it('fails at once with one clear sentence where the secret is wrong, and does not ask for each call', async () => {
    const { stub, platform, waitsMs } = await openStubClient({
      answer: ({ path }) =>
        path.startsWith('/oauth2/') ? generalError('appid or secret invalid') : undefined,
    });
    for (let count = 0; count < 3; count += 1)
      await expect(readUsers(platform)).rejects.toMatchObject({
        kind: 'auth',
        action: 'stop',
        operation: 'getClientAccessToken',
        message: expect.stringMatching(
          /^access token request at 127\.0\.0\.1:\d+ failed: .*secret invalid; check platform\.appId/,
        ),
      });
    expect(stub.journal).toHaveLength(1);
    expect(waitsMs).toEqual([]);
  });

  it('is still used in the last part of its life while renewing fails', async () => {
    let nowMs = Date.now();
    let failing = false;
    const { stub, platform } = await openStubClient(
      {
        lists: { [users]: [{ username: 'ann' }] },
        answer: ({ path }) => (failing && path.startsWith('/oauth2/') ? { status: 500 } : undefined),
      },
      { retries: 0 },
      { clock: () => nowMs },
    );
    await readUsers(platform);
    failing = true;
    nowMs += 0.9 * 7_200_000;
    for (let count = 0; count < 5; count += 1) expect(await readUsers(platform)).toBe(1);
    expect(stub.tokenRequests()).toHaveLength(3);
    nowMs += 0.2 * 7_200_000;
    await expect(readUsers(platform)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(stub.requestsTo(users)).toHaveLength(6);
  });
});
