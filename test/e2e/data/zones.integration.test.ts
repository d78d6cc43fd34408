import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant, onlyHistoryOf, type StubPlant } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
const minuteMs = 60_000;
const at = (text: string) => Date.parse(text) * 1000;

describe('times without an offset', () => {
  it.each(['UTC', 'America/New_York', 'Asia/Shanghai'])(
    'are read in the zone of the configuration, whatever that of the process is (%s)',
    async (TZ) => {
      const alarm = { sourceObjName: 'pump1', sourcePropName: 'temp', showName: 'hot', alarmType: 'GT' };
      const plant = await makeStubPlant(
        {
          lists: {
            '/openapi/objects/v1': [{ name: 'pump1', createTime: '2024-07-01T08:00:00' }],
            '/openapi/alarms/v1/current': [
              { ...alarm, startTime: '2024-07-01T08:00:00', ackTime: '2024-07-01 08:05:00', ackStatus: 1 },
            ],
          },
        },
        ({ postgres }) => ({
          postgres,
          streams: onlyStreams('objects'),
          runtime: [],
          alarms: { history: false },
        }),
      );
      const { platform } = plant.config as { platform: object };
      plant.configure({ ...plant.config, platform: { ...platform, timezone: 'UTC' } });
      expect(await plant.start(['sync', 'objects', 'alarms'], { TZ }).ended).toMatchObject({ code: 0 });
      expect(await plant.databases.rows('select started_at, acknowledged_at from plant.alarms')).toEqual([
        [at('2024-07-01T08:00:00Z'), at('2024-07-01T08:05:00Z')],
      ]);
      expect(await plant.databases.rows('select created_at from plant.objects')).toEqual([
        at('2024-07-01T08:00:00Z'),
      ]);
    },
  );
});

describe('times with offsets', () => {
  it('are instants: the hour that an autumn day has twice is two hours', async () => {
    const plant = await makeStubPlant(
      {
        history: {
          'pump1.temp': [
            ['2024-11-03T01:30:00-04:00', 1],
            ['2024-11-03T01:30:00-05:00', 2],
            ['2024-07-01T16:00:00+08:00', 3],
            ['2024-07-01T08:00:00.250Z', 4],
          ],
        },
      },
      ({ postgres, influx }) => ({ postgres, influx, ...onlyHistoryOf(['pump1.temp']) }),
    );
    expect(await plant.run(['backfill', '--from', '2024-07-01', '--to', '2024-11-04'])).toMatchObject({
      code: 0,
    });
    const expected = [
      [at('2024-07-01T08:00:00Z'), 3],
      [at('2024-07-01T08:00:00Z') + 250_000, 4],
      [at('2024-11-03T05:30:00Z'), 1],
      [at('2024-11-03T06:30:00Z'), 2],
    ];
    expect(await plant.databases.rows('select at, value from plant.samples order by at')).toEqual(expected);
    const { times, values } = await plant.databases.influxPoints('pump1.temp');
    expect(times.map((time, k) => [time, values[k]])).toEqual(expected);
  });
});

describe('a process in a zone that changes its clock', () => {
  const zone = { TZ: 'America/New_York' };

  it('reads the days around the change without a hole', async () => {
    const fromMs = Date.UTC(2024, 2, 9);
    const rows = Array.from({ length: 4_320 }, (_, k): [string, number] => [
      new Date(fromMs + k * minuteMs).toISOString(),
      k,
    ]);
    const plant = await makeStubPlant({ history: { 'pump1.temp': rows } }, ({ postgres }) => ({
      ...{ postgres, limits: { rowsPerRead: 300 } },
      ...onlyHistoryOf(['pump1.temp']),
    }));
    const range = ['--from', '2024-03-09T00:00:00Z', '--to', '2024-03-12T00:00:00Z'];
    expect(await plant.start(['backfill', ...range], zone).ended).toMatchObject({ code: 0 });
    expect(await plant.databases.rows('select count(*)::int, sum(value) from plant.samples')).toEqual([
      [4_320, (4_319 * 4_320) / 2],
    ]);
    const windows = windowsOf(plant);
    expect(windows.length).toBeGreaterThan(10);
    expect(windows.filter(([ge, lt]) => ge >= lt)).toEqual([]);
    let reached = fromMs;
    for (const [ge, lt] of windows.sort(([a], [b]) => a - b)) {
      expect(ge).toBeLessThanOrEqual(reached);
      reached = Math.max(reached, lt);
    }
    expect(reached).toBe(Date.UTC(2024, 2, 12));
  });

  it.each(['2024-03-10T06:59:52Z', '2024-11-03T05:59:52Z'])(
    'runs what is due at the change neither twice nor never (%s)',
    async (start) => {
      const plant = await makeStubPlant({ current: { 'pump1.temp': 21.5 } }, ({ postgres }) => ({
        ...{ postgres, streams: onlyStreams(), alarms: { current: false, history: false } },
        runtime: [
          { objects: 'pump1', properties: 'temp', current: { cron: '*/2 * * * * *' }, history: false },
        ],
        schedule: { timezone: zone.TZ },
      }));
      const clock = join(plant.folder, 'clock.mjs');
      const aheadMs = Date.parse(start) - Date.now();
      writeFileSync(clock, shiftedClock(aheadMs));
      const service = plant.start(['run'], { ...zone, NODE_OPTIONS: `--import=${pathToFileURL(clock)}` });
      // Polls get their time from the clocks of the database and the platform, since the clock of the process
      // differs from both.
      const polls = async () => {
        const times = await plant.databases
          .rows('select at from plant.samples_polled order by at')
          .catch(() => []);
        return (times as number[]).map((time) => time / 1000 + aheadMs);
      };
      // The clock changes after eight seconds.
      const changed = Date.parse(start) + 8_000;
      const sinceChange = async () => (await polls()).filter((time) => time >= changed).length;
      while ((await sinceChange()) < 10) await sleep(250);
      service.process.kill('SIGTERM');
      const { code, output } = await service.ended;
      expect(code).toBe(0);
      // On a busy machine a poll begins late, and never before its time. The platform tells its time in
      // whole seconds.
      const times = await polls();
      const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
      expect(times.length).toBeLessThanOrEqual((spanMs + 2_000) / 2_000 + 2);
      expect(output.split('\n').length).toBeLessThan(200);
    },
  );
});

/** Returns the windows asked for, in epoch milliseconds. */
function windowsOf({ stub }: StubPlant): [ge: number, lt: number][] {
  return stub.requestsTo(HISTORY).map(({ body }) => {
    const { ge, lt } = (body as { where: { and: { timestamp: { ge: string; lt: string } } } }).where.and
      .timestamp;
    return [Date.parse(ge), Date.parse(lt)];
  });
}

/** Returns a module that shifts the clock of the process that imports it. */
function shiftedClock(byMs: number): string {
  return `const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) { args.length === 0 ? super(RealDate.now() + ${byMs}) : super(...args); }
  static now() { return RealDate.now() + ${byMs}; }
};`;
}
