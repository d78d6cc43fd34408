import { afterEach, describe, expect, it } from 'vitest';
import { createInfluxStore, type InfluxStore } from '../../src/load/stores/influx/create-store.ts';
import type { InfluxOptions } from '../../src/load/stores/influx/options.ts';
import { silentLog } from '../../src/log.ts';
import { batchOf, secondsFrom, seriesPoints } from '../support/influx/influx-points.ts';
import { type InfluxReader, openInfluxReader } from '../support/influx/influx-reader.ts';
import {
  type BucketOptions,
  callInfluxTwo,
  dropBucket,
  influxTwo,
  makeBucket,
  makeToken,
} from '../support/influx/influx-two.ts';

const t0 = Date.UTC(2024, 0, 1) * 1_000;
const always = { from: -(2 ** 53) + 1, to: 2 ** 53 - 1 };
const commit = async (): Promise<void> => undefined;

const opened: { close(): Promise<void> }[] = [];
function open(options: InfluxOptions): { store: InfluxStore; reader: InfluxReader } {
  const store = createInfluxStore({ retryForMs: 500, ...options }, silentLog);
  const reader = openInfluxReader(options);
  opened.push(store, reader);
  return { store, reader };
}

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Opens a bucket with a token that may do just these actions in it. */
async function openWith(actions: readonly ('read' | 'write')[]): Promise<BucketOptions> {
  const options = await makeBucket(influxTwo());
  return { ...options, token: await makeToken(influxTwo(), options.bucket, actions) };
}

describe('a bucket of InfluxDB 2.x', () => {
  it('tells how long it keeps points', async () => {
    const twoHours = open(await makeBucket(influxTwo(), { keepSeconds: 7_200 })).store;
    const forEver = open(await makeBucket(influxTwo())).store;
    await Promise.all([twoHours.prepare(), forEver.prepare()]);
    expect([twoHours.retentionMs(), forEver.retentionMs()]).toEqual([7_200_000, undefined]);
  });

  it('refuses the points that it would not keep by their range, and stores the others', async () => {
    const { store, reader } = open(await makeBucket(influxTwo(), { keepSeconds: 7_200 }));
    await store.prepare();
    const recent = secondsFrom((Date.now() - 60_000) * 1_000, 10);
    const old = secondsFrom(t0, 3_000);
    const result = await store.write(batchOf(seriesPoints({}, [...old, ...recent])), commit);
    expect(result).toMatchObject({
      written: 10,
      refused: [{ count: 3_000, range: { from: t0, to: t0 + 2_999_000_001 } }],
    });
    expect((await reader.totalsOfAll(always)).values).toBe(10);
  });

  it('that is not there is named with a remedy, and found once it is made', async () => {
    const options = await makeBucket(influxTwo());
    await dropBucket(influxTwo(), options.bucket);
    const { store } = open(options);
    await expect(store.prepare()).rejects.toMatchObject({
      action: 'stop',
      code: 'influx.missing_bucket',
      message: expect.stringMatching(/the bucket is not found in "plantsync-test"\. Create it/),
    });
    await expect(store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit)).rejects.toMatchObject({
      action: 'stop',
    });
    await makeBucket(influxTwo(), { name: options.bucket });
    expect(await store.prepare()).toBe(false);
  });

  it('isolates the points that conflict with the type of a field and stores all others', async () => {
    const options = await makeBucket(influxTwo());
    const { store, reader } = open(options);
    const week = Date.UTC(2024, 5, 5) * 1_000;
    const query = new URLSearchParams({ org: options.org, bucket: options.bucket, precision: 'us' });
    await fetch(`${options.url}/api/v2/write?${query}`, {
      method: 'POST',
      headers: { authorization: `Token ${options.token}` },
      body: `runtime,object=other,property=x text=1 ${week}`,
    });
    const points = secondsFrom(t0, 4_000);
    points.push(...secondsFrom(week, 1_000));
    points[4_321] = [week + 321_000_000, 'stuck'];
    const result = await store.write(batchOf(seriesPoints({ id: 9 }, points)), commit);
    expect(result).toMatchObject({
      written: 4_999,
      refused: [{ seriesId: 9, count: 1, reason: expect.stringMatching(/field type conflict/) }],
    });
    expect((await reader.totals({ object: 'pump1', property: 'temp' }, always)).values).toBe(4_999);
  });
});

describe('a token of InfluxDB 2.x', () => {
  it('that may only write is enough to write, and what it cannot do is named', async () => {
    const options = await openWith(['write']);
    const { store } = open(options);
    const points = seriesPoints({}, [[t0, 1]]);
    expect(await store.write(batchOf(points), commit)).toMatchObject({ written: 1, refused: [] });
    const read = async () => {
      for await (const _ of store.read({ stream: 'history', series: [points.series], range: always }));
    };
    await expect(read()).rejects.toMatchObject({ message: expect.stringMatching(/read/) });
  });

  it('that may only read writes nothing, and the error names the right that it lacks', async () => {
    const { store } = open(await openWith(['read']));
    await store.prepare();
    await expect(store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit)).rejects.toMatchObject({
      action: 'stop',
      message: expect.stringMatching(/write/),
    });
  });

  it('that may read and write is enough for everything, removals too', async () => {
    const { store, reader } = open(await openWith(['read', 'write']));
    await store.prepare();
    const points = seriesPoints({}, secondsFrom(t0, 10));
    await store.write(batchOf(points), commit);
    const ranges = [{ from: t0, to: t0 + 5_000_000 }];
    await store.remove?.('history', [{ series: points.series, ranges }], commit);
    expect((await reader.points(points.series, always)).times).toEqual(points.times.slice(5));
  });

  it('that is wrong or was taken back is told without the token', async () => {
    const options = await makeBucket(influxTwo());
    const { store } = open({ ...options, token: 'TScanary' });
    const write = () => store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit);
    for (const work of [() => store.prepare(), write]) {
      const error: unknown = await work().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ action: 'stop', message: expect.stringMatching(/unauthorized.*token/s) });
      expect(String(error)).not.toMatch('TScanary');
    }
  });

  it('of another organization finds no bucket', async () => {
    const options = await makeBucket(influxTwo());
    await callInfluxTwo(influxTwo(), 'orgs', { name: `other-${options.bucket}` });
    const { store } = open({ ...options, org: `other-${options.bucket}` });
    await expect(store.prepare()).rejects.toMatchObject({ action: 'stop' });
  });
});
