import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInfluxStore, type InfluxStore } from '../../../../src/load/stores/influx/create-store.ts';
import type { InfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import { silentLog } from '../../../../src/log.ts';
import { batchOf, secondsFrom, seriesPoints, type TestPoint } from '../../../support/influx/influx-points.ts';
import { type InfluxReader, openInfluxReader } from '../../../support/influx/influx-reader.ts';
import {
  sharedInflux,
  sharedVictoria,
  startInflux,
  type TestServer,
} from '../../../support/servers/servers.ts';

const t0 = Date.UTC(2024, 0, 1) * 1_000;
const always = { from: -(2 ** 53) + 1, to: 2 ** 53 - 1 };

let options: InfluxOptions;
let store: InfluxStore;
let reader: InfluxReader;
let commits = 0;
const commit = async (): Promise<void> => void commits++;

/** Sends line protocol or a statement to the server without the store, as another program would. */
async function post(path: string, body: string | URLSearchParams, url = options.url): Promise<void> {
  const reply = await fetch(`${url}${path}`, { method: 'POST', body });
  const text = await reply.text();
  // A statement that fails is answered by 200, too.
  if (!reply.ok || text.includes('"error"')) throw new Error(text);
}

async function open(changes: Partial<InfluxOptions> = {}): Promise<void> {
  options = {
    url: sharedInflux().url,
    version: 1,
    database: `influx-${randomUUID()}`,
    retryForMs: 500,
    ...changes,
  };
  store = createInfluxStore(options, silentLog);
  reader = openInfluxReader(options);
  commits = 0;
}

async function close(): Promise<void> {
  await store.close();
  await reader.close();
}

describe('InfluxDB 1.x', () => {
  beforeEach(async () => {
    await open();
    await store.prepare();
  });

  afterEach(close);

  it('reads back what it holds, in parts, and removes just the ranges of a series', async () => {
    const numbers = seriesPoints({ id: 1, object: 'a b', property: "p,=' " }, secondsFrom(t0, 12_000));
    const texts = seriesPoints({ id: 2, object: 'a b', property: 'q' }, [
      [t0, 'x'],
      [t0 + 1, null],
      [t0 + 5, 2],
    ]);
    const series = [numbers, texts].map((points) => points.series);
    const readAll = async () => {
      const found = new Map(
        series.map(({ id }) => [id, { parts: 0, times: [] as number[], values: [] as unknown[] }]),
      );
      const range = { from: t0, to: t0 + 20_000e6 };
      for await (const part of store.read({ stream: 'history', series, range })) {
        const own = found.get(part.series.id);
        own?.times.push(...part.times);
        own?.values.push(...part.times.map((_, k) => part.values[k] ?? part.texts[k]));
        if (own !== undefined) own.parts += 1;
      }
      return found;
    };
    await store.write(batchOf(numbers, texts), commit);
    const all = await readAll();
    expect(all.get(1)).toMatchObject({ times: numbers.times, values: numbers.values });
    expect(all.get(1)?.parts).toBeGreaterThan(1);
    expect(all.get(2)).toMatchObject({ times: (await store.held('history', texts)).times, values: ['x', 2] });

    const gone = { from: t0 + 10e6, to: t0 + 20e6 + 1 };
    await store.remove?.('history', [{ series: numbers.series, ranges: [gone] }], commit);
    const left = numbers.times.filter((time) => time < gone.from || time >= gone.to);
    expect((await readAll()).get(1)?.times).toEqual(left);
    expect((await readAll()).get(2)?.times).toEqual([t0, t0 + 5]);
  });

  it('removes nothing where another retention policy of the database would be hit as well', async () => {
    await post(
      `/query`,
      new URLSearchParams({
        q: `CREATE RETENTION POLICY long ON "${options.database}" DURATION INF REPLICATION 1`,
      }),
    );
    const points = seriesPoints({}, secondsFrom(t0, 3));
    await store.write(batchOf(points), commit);
    const ranges = [{ from: t0, to: t0 + 1 }];
    await expect(
      store.remove?.('history', [{ series: points.series, ranges }], commit),
    ).rejects.toMatchObject({ action: 'skip', message: expect.stringMatching(/several retention policies/) });
    expect(commits, 'nothing was uncovered').toBe(1);
  });

  it('gives numbers and times back exactly, to the microsecond', async () => {
    const points: TestPoint[] = [
      [-62_135_596_800_000_000, 7],
      [always.from, 3],
      [-1, 1],
      [0, 1.5],
      [1, -0.1],
      [t0 + 123_456, 5e-324],
      [t0 + 123_457, 1.797_693_134_862_315_7e308],
      [t0 + 123_458, 1e21],
      [t0 + 123_459, 2 ** 53 + 2],
    ];
    const stored = points.filter(([time]) => time >= always.from);
    const result = await store.write(batchOf(seriesPoints({}, points)), commit);
    // Year 1 is before the time that InfluxDB can hold, which begins in 1677. Doubles hold microseconds
    // exactly from 1684 on.
    expect(result).toMatchObject({
      written: 8,
      refused: [{ count: 1, reason: expect.stringMatching('stored exactly') }],
    });
    const read = await reader.points({ object: 'pump1', property: 'temp' }, always);
    expect(read.times).toEqual(stored.map(([time]) => time));
    expect(read.values).toEqual(stored.map(([, value]) => value));
  });

  it('keeps series with awkward names apart and finds each by its name', async () => {
    const names = [
      'Pump 1,A=B\\',
      'Pump 1,A=B',
      'POA [W/m²]',
      '一号泵 温度',
      'two\nlines',
      'two␛0Alines',
      ' x ',
      'a\\,b',
      'a,b',
      'it\'s "it"',
      'a\\\\',
      '50 %',
      '#',
      'a\tb',
    ];
    const series = names.flatMap((object, i) =>
      names.map((property, j) => seriesPoints({ id: i * 100 + j, object, property }, [[t0, i * 100 + j]])),
    );
    const result = await store.write(batchOf(...series), commit);
    expect(result).toEqual({ written: names.length ** 2, skipped: 0, refused: [] });
    for (const { series: one, values } of series)
      expect((await reader.points(one, always)).values).toEqual(values);
  });

  it('finds any name again by its value', async () => {
    const name = fc.string({
      unit: fc.constantFrom('\\', '\n', '\r', '␛', ',', '=', ' ', '"', "'", 'a', '温', '5', 'C'),
      minLength: 1,
      maxLength: 6,
    });
    const objects = fc.sample(fc.uniqueArray(name, { minLength: 300, maxLength: 300 }), 1)[0] ?? [];
    const series = objects.map((object, id) => seriesPoints({ id, object, property: object }, [[t0, id]]));
    expect((await store.write(batchOf(...series), commit)).written).toBe(300);
    expect(await reader.totalsOfAll(always)).toEqual({ values: 300, texts: 0, sum: (299 * 300) / 2 });
    for (const { series: one, values } of series)
      expect((await reader.points(one, always)).values).toEqual(values);
  });

  it('gives texts back letter for letter', async () => {
    const texts = [
      'He said "stop"\nline 2\\',
      '',
      '\\',
      '"',
      '\\"',
      'a\r\n\tb',
      ' \n#',
      'x=1,y="2" 3\nz',
      '停止 🛑',
      'ab'.repeat(100_000),
    ];
    await store.write(
      batchOf(
        seriesPoints(
          {},
          texts.map((text, i) => [t0 + i, text]),
        ),
      ),
      commit,
    );
    const read = await reader.points({ object: 'pump1', property: 'temp' }, always);
    expect(read.texts).toEqual(texts);
  });

  it('takes whole numbers, decimals and texts in one series, and a number beside its digits', async () => {
    const points = seriesPoints({}, [
      [t0, 1],
      [t0 + 1, 2.5],
      [t0 + 2, 'n/a'],
      [t0 + 3, 2 ** 53],
    ]);
    const texts = points.texts.with(3, '9007199254740993');
    await store.write(batchOf({ ...points, texts }), commit);
    expect(await reader.points(points.series, always)).toEqual({
      times: points.times,
      values: [1, 2.5, null, 2 ** 53],
      texts: [null, null, 'n/a', '9007199254740993'],
    });
  });

  it('stores the same points once, however often they are written', async () => {
    const batch = batchOf(
      seriesPoints({}, secondsFrom(t0, 12_345)),
      seriesPoints({ id: 2, property: 'flow' }, secondsFrom(t0, 5)),
    );
    for (let i = 0; i < 3; i++) expect((await store.write(batch, commit)).written).toBe(12_350);
    expect(await reader.totals({ object: 'pump1', property: 'temp' }, always)).toEqual({
      values: 12_345,
      texts: 0,
      sum: (12_344 * 12_345) / 2,
    });
    expect(await reader.totalsOfAll({ from: t0, to: t0 + 5_000_000 })).toEqual({
      values: 10,
      texts: 0,
      sum: 20,
    });
    expect(commits).toBe(3);
  });

  it('isolates the points that conflict with the type of a field and stores all others', async () => {
    // A type belongs to one shard of a week: another program has used `text` as a number in one week only.
    const week = Date.UTC(2024, 5, 5) * 1_000;
    await post(`/write?db=${options.database}&precision=u`, `runtime,object=other,property=x text=1 ${week}`);
    const points = secondsFrom(t0, 4_000);
    points.push(...secondsFrom(week, 1_000));
    points[4_321] = [week + 321_000_000, 'stuck'];
    const result = await store.write(batchOf(seriesPoints({ id: 9 }, points)), commit);
    expect(result).toMatchObject({ written: 4_999, skipped: 0 });
    expect(result.refused).toEqual([
      {
        seriesId: 9,
        range: { from: week + 321_000_000, to: week + 321_000_001 },
        reason: expect.stringMatching(/field type conflict: input field "text".*\(HTTP 400\)$/),
        count: 1,
        samples: ['2024-06-05T00:05:21.000000Z text="stuck"'],
      },
    ]);
    expect((await reader.totals({ object: 'pump1', property: 'temp' }, always)).values).toBe(4_999);
    expect(commits).toBe(1);
  });

  it('stops with the words of the server when a whole measurement has other types', async () => {
    await post(
      `/write?db=${options.database}&precision=u`,
      `runtime,object=other,property=x value="s" ${t0}`,
    );
    const work = store.write(batchOf(seriesPoints({}, secondsFrom(t0, 5_000))), commit);
    const message = expect.stringMatching(/field type conflict.*value/);
    await expect(work).rejects.toMatchObject({ name: 'StoreError', action: 'stop', message });
    expect(commits).toBe(0);
  });

  it('keeps polled values apart from the history', async () => {
    await store.writePolls([seriesPoints({}, [[t0, 5]])]);
    const polled = openInfluxReader(options, 'runtime_polled');
    expect((await polled.totalsOfAll(always)).values).toBe(1);
    expect((await reader.totalsOfAll(always)).values).toBe(0);
    await polled.close();
  });

  it('stops when its database is gone', async () => {
    await post('/query', new URLSearchParams({ q: `DROP DATABASE "${options.database}"` }));
    const message = expect.stringMatching(/database not found/);
    await expect(store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit)).rejects.toMatchObject({
      action: 'stop',
      message,
    });
  });
});

describe('prepare of InfluxDB 1.x', () => {
  afterEach(close);

  it('makes the database with the retention asked for, and finds it the next time', async () => {
    await open({ retentionMs: 7_200_000 });
    await store.prepare();
    await store.prepare();
    expect(store.retentionMs()).toBe(7_200_000);
  });

  it('refuses points beyond the retention by range, and stores the others', async () => {
    await open({ retentionMs: 7_200_000 });
    await store.prepare();
    const recent = secondsFrom((Date.now() - 60_000) * 1_000, 10);
    const result = await store.write(
      batchOf(seriesPoints({}, [...secondsFrom(t0, 3_000), ...recent])),
      commit,
    );
    expect(result).toMatchObject({
      written: 10,
      refused: [{ count: 3_000, range: { from: t0, to: t0 + 2_999_000_001 } }],
    });
    expect((await reader.totalsOfAll(always)).values).toBe(10);
    expect(result.refused[0]?.reason).toMatch('points beyond retention policy');
  });

  it('does not make a database that it may not make', async () => {
    await open({ createDatabase: false });
    const message = expect.stringMatching(/the database does not exist\. Create it: CREATE DATABASE/);
    await expect(store.prepare()).rejects.toMatchObject({ action: 'stop', message });
  });

  it('writes to the retention policy that is named, and misses one that does not exist', async () => {
    await open({ retentionPolicy: 'two years' });
    await expect(store.prepare()).rejects.toMatchObject({
      action: 'stop',
      message: expect.stringMatching('"two years"'),
    });
    const q = `CREATE RETENTION POLICY "two years" ON "${options.database}" DURATION 17520h REPLICATION 1`;
    await post('/query', new URLSearchParams({ q }));
    await store.prepare();
    expect(store.retentionMs()).toBe(17_520 * 3_600_000);
    const now = Date.now() * 1_000;
    await store.write(batchOf(seriesPoints({}, [[now, 1]])), commit);
    expect((await reader.totalsOfAll({ from: now, to: now + 1 })).values).toBe(1);
  });
});

describe('a server of its own', () => {
  let server: TestServer | undefined;

  afterEach(async () => {
    await close();
    await server?.close();
  });

  it('that dies in the middle of a write commits nothing, and the same write later is exact', async () => {
    server = await startInflux();
    await open({ url: server.url, batchLines: 1_000 });
    await store.prepare();
    const batch = batchOf(seriesPoints({}, secondsFrom(t0, 300_000)));
    const failed = expect(store.write(batch, commit)).rejects.toMatchObject({
      name: 'StoreError',
      action: 'retry',
    });
    while ((await reader.totalsOfAll(always)).values === 0);
    await server.kill();
    await failed;
    expect(commits).toBe(0);
    await server.start();
    expect((await reader.totalsOfAll(always)).values).toBeLessThan(300_000);
    expect((await store.write(batch, commit)).written).toBe(300_000);
    expect(await reader.totalsOfAll(always)).toEqual({
      values: 300_000,
      texts: 0,
      sum: (299_999 * 300_000) / 2,
    });
    expect(commits).toBe(1);
  });

  it('with a small limit for bodies gets all points in smaller requests', async () => {
    server = await startInflux({ maxBodySize: 20_000 });
    await open({ url: server.url });
    await store.prepare();
    expect(await store.write(batchOf(seriesPoints({}, secondsFrom(t0, 10_000))), commit)).toMatchObject({
      written: 10_000,
      refused: [],
    });
    expect((await reader.totalsOfAll(always)).values).toBe(10_000);
  });

  it('that asks for a login takes the right one only, and says so without the password', async () => {
    server = await startInflux({ auth: true });
    await post(
      '/query',
      new URLSearchParams({ q: "CREATE USER admin WITH PASSWORD 'p@ss:w/rd#1%' WITH ALL PRIVILEGES" }),
      server.url,
    );
    await open({ url: server.url, username: 'admin', password: 'p@ss:w/rd#1%' });
    await store.prepare();
    await store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit);
    expect((await reader.totalsOfAll(always)).values).toBe(1);

    const wrong = createInfluxStore({ ...options, password: 'TScanary' }, silentLog);
    const message = expect.stringMatching(/authorization failed.*Check username and password/);
    const write = () => wrong.write(batchOf(seriesPoints({}, [[t0, 2]])), commit);
    for (const work of [() => wrong.prepare(), write]) {
      const error: unknown = await work().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ action: 'stop', message });
      expect(String(error)).not.toMatch('TScanary');
    }
    await wrong.close();
    expect(commits).toBe(1);
  });

  it('accepts a user who may only write', async () => {
    server = await startInflux({ auth: true });
    await open({ url: server.url, username: 'writer', password: 'w', database: 'plant' });
    await post(
      '/query',
      new URLSearchParams({ q: "CREATE USER admin WITH PASSWORD 'a' WITH ALL PRIVILEGES" }),
      server.url,
    );
    for (const statement of [
      'CREATE DATABASE plant',
      "CREATE USER writer WITH PASSWORD 'w'",
      'GRANT WRITE ON plant TO writer',
    ])
      await post(
        `/query?${new URLSearchParams({ u: 'admin', p: 'a' })}`,
        new URLSearchParams({ q: statement }),
      );
    await store.prepare();
    expect((await store.write(batchOf(seriesPoints({}, [[t0, 1]])), commit)).written).toBe(1);
  });
});

describe('the 2.x write path of VictoriaMetrics', () => {
  let site: string;

  beforeAll(async () => {
    site = randomUUID();
    await open({ url: sharedVictoria().url, version: 2, org: 'o', bucket: 'b', tags: { site } });
  });

  afterAll(close);

  it('takes what is written', async () => {
    await store.prepare();
    const recent = (Date.now() - 600_000) * 1_000;
    expect((await store.write(batchOf(seriesPoints({}, secondsFrom(recent, 100))), commit)).written).toBe(
      100,
    );
    const exported = async (): Promise<{ values: number[] }[]> => {
      const reply = await fetch(`${options.url}/api/v1/export?match[]={site="${site}"}`);
      return (await reply.text())
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    await expect.poll(async () => (await exported())[0]?.values.length).toBe(100);
  });
});
