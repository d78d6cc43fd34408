import { describe, expect, it } from 'vitest';
import { ListedRows } from '../../../src/platform/history/history-rows.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { resetHistory } from '../../../src/sync/reset/reset-streams.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { noAlarms } from '../../support/stream-switches.ts';

/** Ten and a half minutes after the start of a bucket of an hour. */
const nowMs = Date.UTC(2026, 2, 1, 12, 10, 30);
const startMs = Date.UTC(2026, 2, 1, 2);
const minuteMs = 60_000;
const empty = { size: { objects: 0, persons: 0 }, nowMs: () => nowMs };

const selectionOf = (history: object) => ({
  objects: 'pump1',
  properties: '*',
  current: false,
  history: { start: new Date(startMs).toISOString(), lookback: '3h', ...history },
});

type Point = [timeMs: number, value: number | string];

/** A value every 40 seconds, except for one hour in the middle. */
const temperatures: Point[] = Array.from(
  { length: 915 },
  (_, k): Point => [startMs + k * 40_000, (k * 7) % 101],
)
  .filter(([at]) => at < startMs + 4 * 3_600_000 || at >= startMs + 5 * 3_600_000)
  .filter(([at]) => at < nowMs);

async function openPump(history: object, more: object = {}): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant(empty, ({ influx }) => ({
    influx,
    alarms: noAlarms,
    runtime: [selectionOf(history)],
    limits: { rowsPerRead: 200 },
    ...more,
  }));
  plant.simulator.addObject({
    name: 'pump1',
    properties: [
      { name: 'temp', primitiveType: 'Double', points: temperatures },
      { name: 'note', primitiveType: 'String', points: [[startMs + 90 * minuteMs, 'oiled']] },
    ],
  });
  await plant.ctx.catalog.select();
  await plant.databases.db.query(
    `insert into plant.object_properties (object, property, primitive_type, persisted)
     values ('pump1', 'temp', 'Double', true), ('pump1', 'note', 'String', true)`,
  );
  plant.ctx.catalog.expire();
  return plant;
}

/** Works out the values of the buckets that are over, by their start in epoch microseconds. */
function bucketsOf(points: readonly Point[], periodMs: number, reduce: (values: number[]) => number) {
  const buckets = new Map<number, number[]>();
  for (const [at, value] of points) {
    const start = Math.floor(at / periodMs) * periodMs;
    if (start + periodMs <= nowMs - 10_000)
      buckets.set(start, [...(buckets.get(start) ?? []), Number(value)]);
  }
  return [...buckets].map(([start, values]) => [start * 1000, reduce(values)]);
}

const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const readTable = ({ databases }: SimulatedPlant, table: string, property = 'temp') =>
  databases.rows(
    `select (extract(epoch from at) * 1000000)::bigint, value from plant.${table} join plant.series using (series_id)
     where property = '${property}' order by at`,
  );

async function readMeasurement({ databases }: SimulatedPlant, measurement: string) {
  const { times, values } = await databases.influxPoints('pump1.temp', measurement);
  return times.map((time, k) => [time, values[k]]);
}

const increment = { mode: 'increment', again: 'none' } as const;

describe('aggregates of history', () => {
  it('are stored beside the raw values, whole settled buckets only, each function for itself', async () => {
    const plant = await openPump({ aggregate: { period: '5m', functions: ['mean', 'max', 'last'] } });
    const summary = await fillHistory(plant.ctx, increment);
    expect(summary).toMatchObject({ status: 'done', problems: [] });
    expect(await plant.databases.count('samples')).toBe(temperatures.length + 1);
    const means = bucketsOf(temperatures, 300_000, meanOf);
    const maxima = bucketsOf(temperatures, 300_000, (values) => Math.max(...values));
    expect(means.length).toBe(122 - 12);
    expect(await readTable(plant, 'samples_300s_mean')).toEqual(means);
    expect(await readTable(plant, 'samples_300s_max')).toEqual(maxima);
    expect(await readTable(plant, 'samples_300s_last', 'note')).toHaveLength(1);
    expect(await readTable(plant, 'samples_300s_mean', 'note'), 'a text has no mean').toEqual([]);
    const reader = await readMeasurement(plant, 'runtime');
    expect(reader).toHaveLength(temperatures.length);
    for (const { body } of plant.simulator.journal()) {
      const { groupBy, where } = (body ?? {}) as { groupBy?: object; where?: { and: { timestamp: object } } };
      if (groupBy === undefined || where === undefined) continue;
      for (const bound of Object.values(where.and.timestamp)) expect(Date.parse(bound) % 300_000).toBe(0);
    }
  });

  it('are read without the raw values where those are off, also into InfluxDB', async () => {
    const plant = await openPump({ raw: false, aggregate: { period: '1h', functions: 'mean' } });
    await fillHistory(plant.ctx, increment);
    expect(await plant.databases.count('samples')).toBe(0);
    const means = bucketsOf(temperatures, 3_600_000, meanOf);
    expect(means).toHaveLength(9);
    expect(await readTable(plant, 'samples_3600s_mean')).toEqual(means);
    expect(await readMeasurement(plant, 'runtime_3600s')).toEqual(means);
  });

  it('take in late values when whole buckets are read again', async () => {
    const plant = await openPump({ aggregate: { period: '1h' } });
    await fillHistory(plant.ctx, increment);
    const late: Point = [nowMs - 2 * 3_600_000 - 7_000, 5_000];
    plant.simulator.addPoints('pump1.temp', [late]);
    await fillHistory(plant.ctx, { mode: 'increment', again: 'lookback' });
    const means = bucketsOf([...temperatures, late], 3_600_000, meanOf).sort(([a = 0], [b = 0]) => a - b);
    expect(await readTable(plant, 'samples_3600s_mean')).toEqual(means);
    expect(await readMeasurement(plant, 'runtime_3600s')).toEqual(means);
  });

  it('have gaps, ranges of a backfill and a reset of their own', async () => {
    const plant = await openPump({ aggregate: { period: '1h' } });
    const from = startMs * 1000 + 10 * 60e6;
    const summary = await fillHistory(plant.ctx, { mode: 'backfill', from, to: from + 80 * 60e6 });
    expect(summary.status).toBe('done');
    const covered = await plant.databases.rows(
      `select distinct covered::text from plantsync.coverage where stream = 'history/3600s/mean'`,
    );
    expect(covered).toEqual(['{["2026-03-01 02:00:00+00","2026-03-01 04:00:00+00")}']);
    const { gaps } = await listGaps(plant.ctx);
    const [missing] = gaps.filter(
      ({ stream, store }) => stream !== 'history' && store.startsWith('postgres'),
    );
    expect(missing).toMatchObject({ stream: 'history/3600s/mean', series: 'pump1.temp' });
    expect(missing?.ranges).toEqual([
      { from: startMs * 1000 + 2 * 3600e6, to: startMs * 1000 + 10 * 3600e6 },
    ]);

    await fillHistory(plant.ctx, increment);
    expect((await listGaps(plant.ctx)).gaps).toEqual([]);
    await resetHistory(plant.ctx);
    expect(await plant.databases.rows('select count(*)::int from plantsync.coverage')).toEqual([0]);
  });

  it('are refused, and the case is kept, where the platform divides time in another way', async () => {
    const plant = await openPump({ raw: false, aggregate: { period: '1h' } });
    const { platform } = plant.ctx;
    const shifted = new Proxy(platform, {
      get: (target, key) =>
        key !== 'readHistory'
          ? Reflect.get(target, key)
          : async (...args: Parameters<typeof platform.readHistory>) => {
              const reply = await target.readHistory(...args);
              const columns = reply.columns.map(async (each) => {
                const listed = await each.rows.list();
                const moved = listed.map(([time, ...values]) => [
                  Date.parse(String(time)) / 1000 + 1_800,
                  ...values,
                ]);
                return { ...each, rows: new ListedRows(moved) };
              });
              return { ...reply, columns: await Promise.all(columns) };
            },
    });
    const summary = await fillHistory({ ...plant.ctx, platform: shifted }, increment);
    expect(summary.status).toBe('partial');
    expect(await plant.databases.rows('select distinct stream, reason from plantsync.rejects')).toEqual([
      ['history/3600s/mean', expect.stringMatching(/not the start of a bucket of 3600 s/)],
    ]);
    expect(summary.points).toEqual({ postgres: 0, influx: 0 });
  });
});
