import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInfluxStore, type InfluxStore } from '../../../../src/load/stores/influx/create-store.ts';
import type { InfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import { durationMs } from '../../../../src/load/stores/influx/prepare.ts';
import { silentLog } from '../../../../src/log.ts';
import {
  type InfluxRecorder,
  type RecorderReply,
  startInfluxRecorder,
} from '../../../support/influx/influx-recorder.ts';

let recorder: InfluxRecorder;
let store: InfluxStore | undefined;

beforeEach(async () => {
  recorder = await startInfluxRecorder();
});

afterEach(async () => {
  await store?.close();
  await recorder.close();
});

function open(options: Partial<InfluxOptions> = {}): InfluxStore {
  const bucket: InfluxOptions = {
    url: recorder.url,
    version: 2,
    org: 'acme',
    bucket: 'plant',
    token: 'TScanary',
  };
  store = createInfluxStore({ ...bucket, ...options }, silentLog);
  return store;
}

/** Answers like 2.x: a version at `/ping`, and `buckets` to the look-up of the bucket. */
function answerBuckets(buckets: RecorderReply): void {
  recorder.answer = ({ path }) =>
    path === '/ping' ? { status: 204, headers: { 'X-Influxdb-Version': 'v2.7.1' } } : buckets;
}

describe('prepare of 2.x', () => {
  it('names the version to set where the server is of 1.x', async () => {
    recorder.answer = () => ({
      status: 204,
      headers: { 'X-Influxdb-Version': '1.8.10', 'X-Influxdb-Build': 'OSS' },
    });
    await expect(open().prepare()).rejects.toThrow(/this is InfluxDB 1\.8\.10: set influx\.version: 1/);
  });

  it('finds the bucket and its retention', async () => {
    answerBuckets({
      status: 200,
      body: { buckets: [{ name: 'plant', retentionRules: [{ type: 'expire', everySeconds: 86_400 }] }] },
    });
    await open().prepare();
    expect(store?.retentionMs()).toBe(86_400_000);
    const [, lookUp] = recorder.requests;
    expect(lookUp).toMatchObject({ path: '/api/v2/buckets', headers: { authorization: 'Token TScanary' } });
    expect(Object.fromEntries(lookUp?.query ?? [])).toEqual({ name: 'plant', org: 'acme' });
  });

  it('knows a bucket that keeps points for ever', async () => {
    answerBuckets({
      status: 200,
      body: { buckets: [{ name: 'plant', retentionRules: [{ type: 'expire', everySeconds: 0 }] }] },
    });
    await open({ retentionMs: 5_000 }).prepare();
    expect(store?.retentionMs()).toBeUndefined();
  });

  it.each([
    ['no bucket', { status: 200, body: { buckets: [] } }, 'stop', /bucket is not found in "acme".*Create it/],
    [
      'no such bucket',
      { status: 404, body: { code: 'not found', message: 'bucket "plant" not found' } },
      'stop',
      /Create it/,
    ],
    [
      'a bad token',
      { status: 401, body: { code: 'unauthorized', message: 'unauthorized access' } },
      'stop',
      /unauthorized access.*Check the token/,
    ],
    ['a server in trouble', { status: 503, body: 'starting' }, 'retry', /starting/],
  ] as const)('says what to do about %s', async (_, reply, action, words) => {
    answerBuckets(reply);
    await expect(open().prepare()).rejects.toMatchObject({ action, message: expect.stringMatching(words) });
  });

  it('accepts a compatible server without a bucket API', async () => {
    answerBuckets({ status: 404, body: 'unsupported path requested' });
    await open({ retentionMs: 5_000 }).prepare();
    expect(store?.retentionMs()).toBe(5_000);
  });
});

describe('prepare', () => {
  it('asks a server of version 3 for its version only', async () => {
    recorder.answer = () => ({ status: 200, body: { version: '3.1.0', revision: 'x' } });
    await open({ version: 3 }).prepare();
    expect(recorder.requests.map(({ path }) => path)).toEqual(['/ping']);
  });

  it.each([
    [{ status: 200, body: '<html>Welcome</html>' }, 'stop'],
    [{ status: 404, body: 'not found' }, 'stop'],
    [{ status: 502, body: 'bad gateway' }, 'retry'],
  ] as const)('does not take another kind of server for InfluxDB: %j', async (reply, action) => {
    recorder.answer = () => reply;
    const words = expect.stringMatching(
      /does not answer like InfluxDB \(HTTP \d+ to \/ping\)\. Check influx\.url/,
    );
    await expect(open().prepare()).rejects.toMatchObject({ action, message: words });
  });

  it('names the host that cannot be reached', async () => {
    await recorder.close();
    const words = expect.stringMatching(/"plant" at 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/);
    await expect(open().prepare()).rejects.toMatchObject({ action: 'retry', message: words });
  });

  it('gives up a server that does not answer', async () => {
    recorder.answer = () => 'silence';
    await expect(open({ timeoutMs: 50 }).prepare()).rejects.toMatchObject({ action: 'retry' });
  });
});

it.each([
  ['168h0m0s', 604_800_000],
  ['1h30m5s', 5_405_000],
  ['0s', Number.POSITIVE_INFINITY],
])('durationMs reads %s', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
