import { describe, expect, it } from 'vitest';
import { openConfiguredTracing } from '../../../src/cli/open/open-configured-tracing.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createConfigRedactor } from '../../../src/config/redactor.ts';
import { PlantsyncError, UsageError } from '../../../src/errors.ts';
import { noTracing } from '../../../src/tracing.ts';
import { recordLog } from '../../support/record-log.ts';
import { startTraceReceiver } from '../../support/servers/trace-receiver.ts';

const platform = { baseUrl: 'http://127.0.0.1', appId: 'app', secret: 'the-secret' };
const load = (tracing: unknown) =>
  loadConfig({ path: false, env: {}, overrides: { platform, tracing } as never });

/** Opens tracing as a command does. */
async function open(tracing: unknown, env: Record<string, string> = {}) {
  const { entries, log } = recordLog();
  return { entries, tracing: await openConfiguredTracing(await load(tracing), { env, log }) };
}

const work = (name: string) => ({ name, facts: { stream: name } });

describe('tracing', () => {
  it('is off unless it is switched on, whatever the environment says', async () => {
    const { tracing } = await open({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'not an address' });
    expect(tracing.span).toBe(noTracing.span);
    expect(await tracing.span(work('a'), async () => 7)).toBe(7);
  });

  it('gives each span the one around it as parent, also where work runs side by side', async () => {
    const receiver = await startTraceReceiver();
    const { tracing } = await open({ enabled: true, endpoint: `${receiver.url}/base/` });
    const run = (name: string) =>
      tracing.span(work(name), async () => {
        await new Promise(setImmediate);
        await tracing.span(work(`${name} inner`), async (span) => span.note({ count: 1, none: undefined }));
      });
    await Promise.all([run('a'), run('b')]);
    const failing = tracing.span(work('c'), async () => {
      throw new PlantsyncError('platform.timeout', 'the message tells the-secret');
    });
    await expect(failing).rejects.toThrow('the message');
    await tracing.close();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/base/v1/traces']);
    const spans = Object.fromEntries(receiver.spans().map((span) => [span.name, span]));
    expect(spans['a inner']).toMatchObject({ around: ['a'], facts: { 'plantsync.count': 1 } });
    expect(spans['b inner']).toMatchObject({ around: ['b'] });
    expect(spans.c).toMatchObject({ failed: true, facts: { 'error.type': 'platform.timeout' } });
    expect(receiver.requests[0]?.body).not.toMatch(/the-secret|tells/);
  });

  it('takes address and headers of the environment, which the configuration wins over', async () => {
    const receiver = await startTraceReceiver();
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc%20d',
    };
    for (const options of ['on', { enabled: true, endpoint: receiver.url, headers: 'x-key=mine' }]) {
      const { tracing } = await open(options, env);
      await tracing.span(work('a'), async () => undefined);
      await tracing.close();
    }
    expect(receiver.requests.map(({ path, headers }) => [path, headers['x-key']])).toEqual([
      ['/own', 'abc d'],
      ['/v1/traces', 'mine'],
    ]);
  });

  it('records the share of runs that is asked for', async () => {
    const receiver = await startTraceReceiver();
    const { tracing } = await open({ enabled: true, endpoint: receiver.url, sampleShare: '0%' });
    await tracing.span(work('a'), async () => tracing.span(work('b'), async () => undefined));
    await tracing.close();
    expect(receiver.requests).toEqual([]);
  });

  it('says that traces are lost where nobody receives them, and fails nothing', async () => {
    const { tracing, entries } = await open({ enabled: true, endpoint: 'http://127.0.0.1:1' });
    expect(await tracing.span(work('a'), async () => 'done')).toBe('done');
    await tracing.close();
    expect(entries).toEqual(['warn: traces are lost: their receiver does not take them']);
  });

  it('refuses what cannot be an address or a header, and hides the values of headers', async () => {
    await expect(open('on', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost' })).rejects.toThrow(UsageError);
    await expect(open('on', { OTEL_EXPORTER_OTLP_HEADERS: 'abc' })).rejects.toThrow(UsageError);
    await expect(load({ headers: 'a=b\nc' })).rejects.toThrow(/tracing\.headers: must be pairs/);
    await expect(load({ endpoint: 'ftp://x' })).rejects.toThrow(/tracing\.endpoint/);
    const config = await load({ headers: 'authorization=Bearer%20canary1,b=canary2' });
    const redact = createConfigRedactor(config, { OTEL_EXPORTER_OTLP_HEADERS: 'x=canary3' });
    expect(redact('Bearer canary1, canary1, canary2 and canary3')).not.toMatch(/canary/);
  });
});
