import { describe, expect, it } from 'vitest';
import { makeStubPlant, onlyHistoryOf } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
type Rows = [time: string, value: unknown][];

/** A row for each second of 2024-05-01T00. Its value is the seconds since midnight. */
const hour: Rows = Array.from({ length: 3_600 }, (_, sec) => [
  new Date(Date.UTC(2024, 4, 1) + sec * 1000).toISOString(),
  sec,
]);
const backfillOfTheHour = ['backfill', '--from', '2024-05-01T00:00:00Z', '--to', '2024-05-01T01:00:00Z'];

describe('history', () => {
  it.each([
    ['an empty result', { results: [{}] }],
    ['no datas', { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: null }] }],
    ['a message beside an empty list', { message: 'not ready', results: [] }],
  ])(
    'is not taken for empty where the platform answers with %s, and is read once it does',
    async (_, body) => {
      let isReady = false;
      const plant = await makeStubPlant(
        {
          history: { 'pump1.temp': hour },
          answer: ({ path }) => (path === HISTORY && !isReady ? { body } : undefined),
        },
        ({ postgres, influx }) => ({ postgres, influx, ...onlyHistoryOf(['pump1.temp']) }),
      );
      const early = await plant.run(backfillOfTheHour);
      expect(early.code, early.stdout + early.stderr).not.toBe(0);
      expect(await plant.databases.rows('select count(*) from plantsync.coverage')).toEqual([0]);
      isReady = true;
      expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
      expect(await plant.databases.rows('select count(*) from plant.samples')).toEqual([3_600]);
      expect((await plant.databases.influxPoints('pump1.temp')).values).toHaveLength(3_600);
    },
  );

  it.each([
    ['honours', true],
    ['ignores', false],
  ])(
    'is complete where the platform cuts replies at a hidden row limit and %s offset',
    async (_, honoursOffset) => {
      const plant = await makeStubPlant(
        {
          history: { 'pump1.temp': hour },
          answer: (request, platform) => {
            if (request.path !== HISTORY) return undefined;
            const body = request.body as { limit: number; offset?: number };
            const asked = honoursOffset ? body : { ...body, offset: 0 };
            return platform.defaultAnswer({
              ...request,
              body: { ...asked, limit: Math.min(body.limit, 500) },
            });
          },
        },
        ({ postgres, influx }) => ({ postgres, influx, ...onlyHistoryOf(['pump1.temp']) }),
      );
      expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
      const { times, values } = await plant.databases.influxPoints('pump1.temp');
      expect([times.length, values.reduce<number>((sum, value) => sum + (value ?? 0), 0)]).toEqual([
        3_600, 6_478_200,
      ]);
      expect([times[0], times.at(-1)]).toEqual([
        Date.UTC(2024, 4, 1) * 1000,
        Date.UTC(2024, 4, 1, 0, 59, 59) * 1000,
      ]);
      expect(await plant.databases.rows('select count(*), sum(value) from plant.samples')).toEqual([
        [3_600, 6_478_200],
      ]);

      const requests = plant.stub.requestsTo(HISTORY).length;
      expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
      expect(plant.stub.requestsTo(HISTORY).length, 'requests for what is stored').toBe(requests);
    },
  );

  it('is asked for from whole seconds and kept to the millisecond, and late rows before the newest are found', async () => {
    const base = Math.floor(Date.now() / 60_000) * 60_000 - 15 * 60_000;
    const at = (ms: number) => new Date(base + ms).toISOString();
    const rows: Rows = [
      [at(100), 1],
      [at(700), 2],
    ];
    const plant = await makeStubPlant(
      {
        history: { 'pump1.temp': rows },
        answer: ({ path, body }) => {
          const ge =
            (body as { where?: { and?: { timestamp?: { ge?: string } } } } | undefined)?.where?.and?.timestamp
              ?.ge ?? '';
          const bad = path === HISTORY && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(ge);
          return bad ? { status: 400, body: { code: '800003', message: 'parameter error' } } : undefined;
        },
      },
      ({ postgres, influx }) => ({ postgres, influx, ...onlyHistoryOf(['pump1.temp']) }),
    );
    expect(await plant.run(['sync', 'history'])).toMatchObject({ code: 0 });
    rows.push([at(900), 3], [at(1_200), 4]);
    expect(await plant.run(['sync', 'history'])).toMatchObject({ code: 0 });
    expect(await plant.run(['sync', 'history'])).toMatchObject({ code: 0 });
    expect(plant.stub.requestsTo(HISTORY).filter(({ status }) => status !== 200)).toEqual([]);
    const expected = [100, 700, 900, 1_200].map((ms) => (base + ms) * 1000);
    expect(await plant.databases.rows('select at from plant.samples order by at')).toEqual(expected);
    const { times, values } = await plant.databases.influxPoints('pump1.temp');
    expect([times, values]).toEqual([expected, [1, 2, 3, 4]]);
  });

  it('fills a store that is added later from its own start, and asks for nothing else', async () => {
    const plant = await makeStubPlant({ history: { 'pump1.temp': hour } }, ({ postgres }) => ({
      postgres,
      ...onlyHistoryOf(['pump1.temp']),
    }));
    expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
    plant.configure({ ...plant.config, influx: plant.databases.sections.influx });
    expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
    expect((await plant.databases.influxPoints('pump1.temp')).times).toHaveLength(3_600);
    const requests = plant.stub.requestsTo(HISTORY).length;
    expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
    expect(plant.stub.requestsTo(HISTORY)).toHaveLength(requests);
  });

  it('is written again into an InfluxDB database that was dropped', async () => {
    const plant = await makeStubPlant({ history: { 'pump1.temp': hour } }, ({ postgres, influx }) => ({
      postgres,
      influx,
      ...onlyHistoryOf(['pump1.temp']),
    }));
    expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
    const { url, database } = plant.databases.sections.influx;
    await fetch(`${url}/query?${new URLSearchParams({ q: `drop database "${database}"` })}`, {
      method: 'POST',
    });
    expect(await plant.run(backfillOfTheHour)).toMatchObject({ code: 0 });
    expect((await plant.databases.influxPoints('pump1.temp')).times).toHaveLength(3_600);
    expect(await plant.databases.count('samples')).toBe(3_600);
  });

  it('of the other series is complete where one cannot be read; the exit code is 3 and gaps names the series', async () => {
    const plant = await makeStubPlant(
      {
        history: { 'pump1.temp': hour, 'pump2.temp': hour },
        answer: ({ path, text }) =>
          path === HISTORY && text.includes('pump1')
            ? { status: 500, body: { message: 'broken' } }
            : undefined,
      },
      ({ postgres }) => ({ postgres, platform: undefined, ...onlyHistoryOf(['pump1.temp', 'pump2.temp']) }),
    );
    plant.configure({
      ...plant.config,
      platform: { baseUrl: plant.stub.baseUrl, appId: 'app', secret: 'key-of-the-stub', retries: 0 },
    });
    const { code, output } = await plant.run(backfillOfTheHour);
    expect(code).toBe(3);
    expect(output).toMatch(/pump1\.temp/);
    expect(
      await plant.databases.rows(
        'select object, count(*)::int from plant.samples join plant.series using (series_id) group by 1',
      ),
    ).toEqual([['pump2', 3_600]]);
    const gaps = await plant.run(['gaps', '--from', '2024-05-01T00:00:00Z', '--to', '2024-05-01T01:00:00Z']);
    expect(gaps.stdout).toContain('pump1.temp');
    expect(gaps.stdout).not.toContain('pump2.temp');
  });
});
