import { expect, it } from 'vitest';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { verifyHistory } from '../../../src/sync/verify/verify-history.ts';
import type { SeriesDifferences } from '../../../src/sync/verify/verify-report.ts';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { countsOf } from '../../support/models/verify-support.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const HOUR_MS = 3_600_000;
/** Ten minutes after the start of a bucket. */
const nowMs = Date.UTC(2026, 2, 1, 12, 10);
const startMs = Date.UTC(2026, 2, 1, 2);
const range = { from: startMs * 1000, to: nowMs * 1000 };
const POINTS = 610;
const BUCKETS = 10;

function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < POINTS; k += 1) yield [startMs + k * 60_000, (k * 7) % 101];
}

/**
 * Opens a plant with one pump. Its raw history, hourly means and hourly maxima are in Postgres and InfluxDB.
 */
async function openFilledPlant(): Promise<SimulatedPlant> {
  const history = {
    start: new Date(startMs).toISOString(),
    aggregate: { period: '1h', functions: ['mean', 'max'] },
  };
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => nowMs },
    ({ influx }) => ({
      influx,
      runtime: [{ objects: 'pump1', properties: 'temp', current: false, history }],
    }),
  );
  plant.simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: everyMinute() }] });
  expect(await fillHistory(plant.ctx, { mode: 'increment', again: 'none' })).toMatchObject({
    status: 'done',
  });
  return plant;
}

const byStream = ({ stream }: SeriesDifferences) => stream;

it('each aggregate is verified and repaired for itself, in both stores, and spares the others and the raw values', async () => {
  const plant = await openFilledPlant();
  const { db } = plant.databases;
  const equal = await verifyHistory(plant.ctx, range);
  expect(equal.summary).toMatchObject({ status: 'done', problems: [] });
  // The bucket that is not over is not compared.
  expect(equal.stores.map(({ points }) => points)).toEqual([POINTS + 2 * BUCKETS, POINTS + 2 * BUCKETS]);

  const at = (hours: number) => new Date(startMs + hours * HOUR_MS).toISOString();
  await db.query(`update plant.samples_3600s_mean set value = -1 where at = '${at(3)}'`);
  await db.query(`delete from plant.samples_3600s_max where at >= '${at(8)}'`);
  await db.query(
    `insert into plant.samples_3600s_max (series_id, at, value) select series_id, '${at(1.5)}', 7 from plant.series`,
  );
  const drop = `delete from runtime_3600s where "function" = 'mean' and time < '${at(4)}'`;
  await askInflux(plant.databases.sections.influx, '/query', { q: drop });
  const line = (fn: string) =>
    `runtime_3600s,function=${fn},object=pump1,property=temp value=7 ${startMs + 1000}`;
  await askInflux(plant.databases.sections.influx, '/write', { precision: 'ms', body: line('max') });

  const damaged = {
    'postgres history/3600s/mean': [0, 0, 1],
    'postgres history/3600s/max': [2, 1, 0],
    'influx history/3600s/mean': [4, 0, 0],
    'influx history/3600s/max': [0, 1, 0],
  };
  expect(countsOf(await verifyHistory(plant.ctx, { ...range, repair: true }), byStream)).toEqual(damaged);
  const after = await verifyHistory(plant.ctx, range);
  expect(countsOf(after, byStream)).toEqual({});
  expect(after.stores.map(({ points }) => points)).toEqual(equal.stores.map(({ points }) => points));
  expect((await listGaps(plant.ctx, { ...range, objects: '*' })).gaps).toEqual([]);
});
