import { inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { openStubClient } from '../support/stub/client.ts';
import type { StubAnswer, StubScript } from '../support/stub/platform.ts';

const secret = 'SECRET+canary/01=';
const markers = [secret, 'ATcanary', 'RTcanary'].flatMap((marker) => [
  marker,
  encodeURIComponent(marker),
  Buffer.from(marker).toString('base64').replace(/=+$/, ''),
]);

function token(number: number): object {
  return { accessToken: `ATcanary-${number}`, expiresIn: '1', refreshToken: `RTcanary-${number}` };
}

/**
 * Makes a platform that gives canary tokens, unless a token operation has a fault. It accepts every canary
 * token.
 */
function withFault({
  onToken,
  onData,
}: {
  onToken?: StubAnswer;
  onData?: StubAnswer | ((token: string | undefined) => StubAnswer);
}): StubScript {
  let issued = 0;
  return {
    answer: ({ path, token: shown }) => {
      if (path.startsWith('/openapi/')) return typeof onData === 'function' ? onData(shown) : onData;
      if (onToken !== undefined) return onToken;
      issued += 1;
      return { body: token(issued) };
    },
  };
}

const echo = `refused ?secret=${encodeURIComponent(secret)}&x ${secret}`;

describe('secrets', () => {
  it.each<[string, StubScript, string]>([
    ['a token call that is refused', withFault({ onToken: { fault: 'reset' } }), 'access token request'],
    [
      'a token call with 400',
      withFault({ onToken: { status: 400, body: { message: echo } } }),
      'access token request',
    ],
    [
      'a token call with HTML',
      withFault({ onToken: { status: 500, text: `<b>${echo}</b>` } }),
      'access token request',
    ],
    ['a token call without answer', withFault({ onToken: { fault: 'silent' } }), 'access token request'],
    [
      'a broken token reply',
      withFault({ onToken: { text: '{"accessToken":"ATcanary' } }),
      'access token request',
    ],
    [
      'a garbled token reply',
      withFault({ onToken: { text: JSON.stringify([token(1)]) } }),
      'access token request',
    ],
    [
      'a page with 401',
      withFault({ onData: (shown) => ({ status: 401, body: { message: `bad ${shown}` } }) }),
      'listUsers',
    ],
    ['a page with broken JSON', withFault({ onData: { text: '{"list":["ATcanary-1' } }), 'listUsers'],
    ['a page that is reset', withFault({ onData: { fault: 'reset' } }), 'listUsers'],
  ])('never show in the log or the error of %s', async (_, script, operation) => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { platform } = await openStubClient(script, { secret, requestTimeoutMs: 100 }, { log });
    const error: unknown = await platform.listPage('listUsers', {}).catch((error: unknown) => error);
    log.error({ err: error }, 'the list failed');
    const output = `${lines.join('')}${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
    for (const marker of markers) expect(output).not.toContain(marker);
    expect(error).toMatchObject({
      message: expect.stringMatching(new RegExp(`^${operation}.* at 127\\.0\\.0\\.1:\\d+`)),
    });
    expect(lines.length).toBeGreaterThan(0);
  });

  it('never show in the log or the error of the operations that take them from the caller', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { platform } = await openStubClient(
      {
        answer: ({ rawPath, rawQuery }) => ({ status: 400, body: { message: `no: ${rawPath}?${rawQuery}` } }),
      },
      { secret },
      { log },
    );
    const errors = await Promise.allSettled([
      platform.call('getTokenUsername', { path: { accessToken: 'ATcanary-1' } }),
      platform.call('refreshClientToken', { query: { refreshToken: 'RTcanary-1' } }),
      platform.call('refreshCodeToken', { query: { refreshToken: 'RTcanary-1' } }),
    ]);
    const output = `${lines.join('')}${inspect(errors, { depth: 10 })}`;
    for (const marker of markers) expect(output).not.toContain(marker);
    expect(output).toContain('user name request of a token');
  });
});
