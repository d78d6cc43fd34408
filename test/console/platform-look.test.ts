import { describe, expect, it } from 'vitest';
import { lookAtPlatform } from '../../src/console/platform-look.ts';
import { openStubClient } from '../support/stub/client.ts';
import type { StubScript } from '../support/stub/platform.ts';

/** Opens a look at a stub, with a clock that the test moves. */
async function openLook(answer: StubScript['answer']) {
  let nowMs = 1_000_000;
  const asked: string[] = [];
  const { platform } = await openStubClient(
    {
      answer: (request, stub) => {
        asked.push(request.path);
        return answer?.(request, stub);
      },
    },
    {},
    { clock: () => nowMs },
  );
  const look = lookAtPlatform(platform, () => nowMs);
  const { signal } = new AbortController();
  return {
    platform,
    look: () => look(signal),
    asks: () => asked.filter((path) => path.includes('health')).length,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('a look at the platform', () => {
  it('asks nothing while requests succeed, and once when all is silent', async () => {
    const { platform, look, asks, pass } = await openLook(undefined);
    await platform.listPage('listPersons', {});
    await look();
    expect(asks()).toBe(0);
    pass(6_000);
    await look();
    await look();
    expect(asks()).toBe(1);
  });

  it('does not ask a platform that has failed again and again', async () => {
    let away = true;
    const { platform, look, asks, pass } = await openLook(({ path }) =>
      away && path.includes('health') ? { status: 503, body: { message: 'closed' } } : undefined,
    );
    await expect(look()).rejects.toThrow(/HTTP 503|closed/);
    const first = asks();
    pass(6_000);
    await expect(look()).rejects.toThrow(/HTTP 503|closed/);
    expect(asks()).toBe(first);
    away = false;
    await platform.listPage('listPersons', {});
    await look();
    expect(asks()).toBe(first);
  });
});
