import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createConfigRedactor } from '../../src/config/redactor.ts';
import { callReceiver } from '../../src/notify/call-receiver.ts';
import { writeMessage, writeTest } from '../../src/notify/messages.ts';
import type { Notice } from '../../src/notify/notice.ts';
import { isSignedBy, openWebhookReceiver } from '../support/servers/webhook-receiver.ts';

const secret = 'a key that nobody knows';
const token = 'Bearer header-canary-0001';

async function open(path = '/services/T0001/path-canary-0123456789?key=query-canary-0123') {
  const receiver = await openWebhookReceiver();
  const config = await loadConfig({
    path: false,
    env: {},
    overrides: {
      platform: { baseUrl: 'https://platform.example/gw', appId: 'a', secret: 'platform-canary-1' },
      notify: {
        webhooks: [
          {
            ...{ name: 'oncall', url: `${receiver.url}${path}`, secret, timeout: '300ms' },
            headers: `authorization=${encodeURIComponent(token)}`,
          },
        ],
      },
    },
  });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const [webhook] = config.notify.webhooks;
  if (webhook === undefined) throw new Error('there is no webhook');
  const redact = createConfigRedactor(config);
  const sender = { installation: 'plant-1', version: '1.2.3', redact };
  const send = (written: { body: string; headers: Record<string, string> }) =>
    callReceiver({
      ...{ title: 'the webhook oncall', method: 'POST', ...written, agent },
      ...{ url: webhook.url, timeoutMs: webhook.timeoutMs, signal: new AbortController().signal },
    });
  return { receiver, path, webhook, sender, send, redact };
}

const notice: Notice = {
  ...{ id: 'n1', key: 'store-away influx', told: {} },
  ...{ openedAt: Date.UTC(2026, 4, 1, 8, 2) * 1000, recoveredAt: Date.UTC(2026, 4, 1, 9) * 1000 },
  body: {
    ...{ event: 'store-away', subject: 'influx', severity: 'critical', since: '2026-05-01T08:00:00.000Z' },
    ...{ sentence: 'InfluxDB is away: platform-canary-1', remedy: 'Start it.', code: 'influx.unreachable' },
  },
};

describe('a message', () => {
  it('tells what is wrong in JSON, is signed, has a key against repetition, and holds no secret', async () => {
    const { receiver, path, webhook, sender, send } = await open();
    await send(writeMessage({ notice, tells: 'opened' }, { webhook, sender, nowMs: Date.now() }));
    await send(writeMessage({ notice, tells: 'recovered' }, { webhook, sender, nowMs: Date.now() }));
    const [opened, recovered] = receiver.calls;
    expect(opened).toMatchObject({ method: 'POST', path });
    expect(opened?.headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'idempotency-key': 'n1', authorization: token },
    });
    expect(opened?.body).toEqual({
      ...{ id: 'n1', event: 'store-away', severity: 'critical', since: '2026-05-01T08:00:00.000Z' },
      ...{ sentence: 'InfluxDB is away: ***', remedy: 'Start it.' },
      facts: { subject: 'influx', code: 'influx.unreachable', openedAt: '2026-05-01T08:02:00.000Z' },
      ...{ installation: 'plant-1', version: '1.2.3' },
    });
    expect(recovered?.headers['idempotency-key']).toBe('n1-recovered');
    expect(recovered?.body).toMatchObject({
      ...{ id: 'n1', event: 'recovered', of: 'store-away', severity: 'info' },
      ...{ since: '2026-05-01T08:00:00.000Z', until: '2026-05-01T09:00:00.000Z' },
    });
    for (const call of receiver.calls) {
      expect(isSignedBy(call, secret)).toBe(true);
      expect(isSignedBy(call, 'another key of sixteen')).toBe(false);
      expect(isSignedBy({ ...call, raw: `${call.raw} ` }, secret)).toBe(false);
    }
  });

  it('has no signature without a key', async () => {
    const { webhook, sender } = await open();
    const written = writeTest('t1', { webhook: { ...webhook, secret: undefined }, sender, nowMs: 0 });
    expect(Object.keys(written.headers)).toEqual(['authorization', 'content-type', 'idempotency-key']);
    expect(JSON.parse(written.body)).toMatchObject({ event: 'test', id: 't1' });
  });
});

describe('a receiver', () => {
  it.each([
    [500, 'notify.refused', /answers HTTP 500$/],
    [302, 'notify.refused', /answers HTTP 302$/],
    ['hang', 'notify.unreachable', /cannot be reached: no answer within 0.3 s$/],
  ] as const)(
    'that answers %s fails; the message names its host and no secret',
    async (answer, code, message) => {
      const { receiver, path, webhook, sender, send, redact } = await open();
      receiver.answer(path, answer);
      const error = await send(writeTest('t1', { webhook, sender, nowMs: 0 })).catch((failure) => failure);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
      expect(error.message).toContain(`the webhook oncall at ${new URL(receiver.url).host}`);
      expect(error.message).not.toMatch(/canary/);
      expect(redact(`POST ${webhook.url} with ${secret} and ${token}`)).not.toMatch(/canary|nobody knows/);
    },
  );

  it('that nobody runs cannot be reached', async () => {
    const { webhook, sender, send, receiver } = await open();
    const gone = { ...webhook, url: 'http://127.0.0.1:9/hook' };
    const agent = new Agent();
    await expect(
      callReceiver({
        ...{ title: 'the webhook oncall', method: 'GET', url: gone.url, timeoutMs: 5_000, agent },
        signal: new AbortController().signal,
      }),
    ).rejects.toMatchObject({
      code: 'notify.unreachable',
      message: expect.stringMatching(/127\.0\.0\.1:9 /),
    });
    await agent.destroy();
    await send(writeTest('t1', { webhook, sender, nowMs: 0 }));
    expect(receiver.calls).toHaveLength(1);
  });
});
