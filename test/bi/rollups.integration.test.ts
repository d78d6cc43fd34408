import { expect, test } from 'vitest';
import { ensureBi } from '../../src/bi/ensure-bi.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { RollupPortions } from '../../src/load/rollups/rollup-portions.ts';
import { createPostgresStore } from '../../src/load/stores/postgres/create-store.ts';
import { createHistoryNotes } from '../../src/load/stores/postgres/note-history.ts';
import { createRollupMarks } from '../../src/postgres/rollup-marks.ts';
import { rollupTables } from '../../src/postgres/rollup-tables.ts';
import { defaultSchemas as schemas } from '../../src/postgres/schemas.ts';
import { createZoneGrid } from '../../src/series/zone-grid.ts';
import { openBi } from './open-bi.ts';

const store = 'postgres:plant';
const us = (text: string) => Date.parse(text) * 1000;

/** Opens a plant of one series, whose history is written and rolled up. */
async function openPlant(zone = 'Europe/Berlin') {
  const bi = await openBi();
  const { db } = bi;
  if (zone !== bi.options.zone) await ensureBi(db, { ...bi.options, zone });
  const ledger = createLedger(db, schemas);
  await db.query(
    `insert into plant.series (object, property, primitive_type) values ('pump1', 'temp', 'Double')`,
  );
  await db.query(`insert into plant.property_notes (object, property, unit) values ('*', 'temp', '°C')`);
  const grid = createZoneGrid(zone);
  const notes = createHistoryNotes({ marks: createRollupMarks(schemas), grid, store, keepsRollups: true });
  const points = createPostgresStore({ db, schema: 'plant', notes });
  const series = { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' };
  return {
    ...bi,
    /** Writes points `[time, value]` of a range that is complete then. */
    async write(
      [from, to]: readonly [string, string],
      all: readonly (readonly [string, number | null])[],
      fresh = true,
    ): Promise<void> {
      const range = { from: us(from), to: us(to) };
      const nothing = all.map(() => null);
      const times = all.map(([at]) => us(at));
      const values = all.map(([, value]) => value);
      const own = { series, times, values, texts: nothing, qualities: nothing };
      await points.write({ stream: 'history', range, series: [own], fresh }, (tx) =>
        ledger.coverage.add({ store, stream: 'history', seriesIds: [1], range }, tx),
      );
    },
    async compute(until: string): Promise<void> {
      const portions = new RollupPortions({
        ...{ db, schemas, grid, tables: rollupTables(schemas), dueUntil: us(until) },
        keptSince: Number.NEGATIVE_INFINITY,
        readCoverage: (tx, seriesIds) => ledger.coverage.read({ store, stream: 'history', seriesIds }, tx),
      });
      await portions.begin();
      while ((await portions.takeMarks()) !== undefined);
    },
  };
}

test('an hour has its numbers, its mean weighted by time, and its share of what is stored', async () => {
  const plant = await openPlant();
  await plant.write(
    ['2026-05-04T06:30:00Z', '2026-05-04T09:00:00Z'],
    [
      ['2026-05-04T06:45:00Z', 10],
      ['2026-05-04T07:30:00Z', 20],
      ['2026-05-04T07:45:00Z', null],
      ['2026-05-04T08:00:00Z', 4],
    ],
  );
  await plant.compute('2026-05-04T09:00:00Z');
  expect(
    await plant.rows(
      `select object, property_name, unit, local_bucket::text, count, min, max, mean, first, last, weighted_mean, share, whole
       from bi.points_hourly order by bucket`,
    ),
  ).toEqual([
    ['pump1', 'temp', '°C', '2026-05-04 08:00:00', 1, 10, 10, 10, 10, 10, 10, 0.5, false],
    // For 30 minutes 10, for 15 minutes 20, then the value is unknown.
    ['pump1', 'temp', '°C', '2026-05-04 09:00:00', 2, 20, 20, 20, 20, null, 40 / 3, 1, true],
    ['pump1', 'temp', '°C', '2026-05-04 10:00:00', 1, 4, 4, 4, 4, 4, 4, 1, true],
  ]);
});

test('a day on which the clock changes has 23 or 25 hours', async () => {
  const plant = await openPlant();
  const days = [
    ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ] as const;
  for (const [from, to] of days) await plant.write([from, to], [[from, 1]]);
  await plant.compute('2026-10-26T12:00:00Z');
  expect(
    await plant.rows(
      `select day, count, weighted_mean, share, whole, bucket from bi.points_daily order by day`,
    ),
  ).toEqual([
    ['2026-03-29', 1, 1, 1, true, us(days[0][0])],
    ['2026-10-25', 1, 1, 1, true, us(days[1][0])],
  ]);
  expect(
    await plant.rows(
      `select (select count(*) from bi.hours('pump1', 'temp', '2026-03-28T23:00Z', '2026-03-29T22:00Z')) as short,
         (select count(*) from bi.hours('pump1', 'temp', '2026-10-24T22:00Z', '2026-10-25T23:00Z')) as long`,
    ),
  ).toEqual([[23, 25]]);
});

test('a clock that changes by half an hour makes an hour of 30 minutes, and days of 23.5 and 24.5 hours', async () => {
  const plant = await openPlant('Australia/Lord_Howe');
  const back = ['2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z'] as const;
  const forward = ['2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z'] as const;
  // The value is 8 until the clock changes, then 0.
  await plant.write(back, [
    [back[0], 8],
    ['2026-04-04T14:20:00Z', 8],
    ['2026-04-04T15:00:00Z', 0],
    ['2026-04-04T15:30:00Z', 0],
  ]);
  await plant.write(forward, [
    [forward[0], 8],
    ['2026-10-03T15:30:00Z', 0],
  ]);
  await plant.compute('2026-10-05T00:00:00Z');
  expect(
    await plant.rows(
      'select bucket, ends_at, count, integral, known_sec, covered_sec from plant.rollup_hourly order by bucket',
    ),
  ).toEqual([
    [us(back[0]), us('2026-04-04T14:00:00Z'), 1, 8 * 3600, 3600, 3600],
    [us('2026-04-04T14:00:00Z'), us('2026-04-04T15:00:00Z'), 1, 8 * 3600, 3600, 3600],
    [us('2026-04-04T15:00:00Z'), us('2026-04-04T15:30:00Z'), 1, 0, 1800, 1800],
    [us('2026-04-04T15:30:00Z'), us('2026-04-04T16:30:00Z'), 1, 0, 3600, 3600],
    [us(forward[0]), us('2026-10-03T14:30:00Z'), 1, 8 * 3600, 3600, 3600],
    [us('2026-10-03T15:30:00Z'), us('2026-10-03T16:00:00Z'), 1, 0, 1800, 1800],
  ]);
  expect(
    await plant.rows(
      'select day, bucket, count, weighted_mean, share, whole from bi.points_daily order by day',
    ),
  ).toEqual([
    ['2026-04-05', us(back[0]), 4, (8 * 2) / 24.5, 1, true],
    ['2026-10-04', us(forward[0]), 2, (8 * 2) / 23.5, 1, true],
  ]);
  expect(
    await plant.rows(
      `select local_bucket::time::text, count, weighted_mean, whole
       from bi.hours('pump1', 'temp', '2026-04-04T14:00Z', '2026-04-04T16:30Z')`,
    ),
  ).toEqual([
    ['01:00:00', 1, 8, true],
    ['01:30:00', 1, 0, true],
    ['02:00:00', 1, 0, true],
  ]);
});

test('every hour of a range is told, also without points, with what is known of it', async () => {
  const plant = await openPlant();
  await plant.write(['2026-05-04T06:00:00Z', '2026-05-04T08:00:00Z'], [['2026-05-04T06:30:00Z', 7]]);
  await plant.write(['2026-05-04T08:30:00Z', '2026-05-04T10:00:00Z'], []);
  await plant.compute('2026-05-04T10:00:00Z');
  // The hour is not over, so it has no rollup yet.
  await plant.write(['2026-05-04T10:00:00Z', '2026-05-04T11:00:00Z'], [['2026-05-04T10:30:00Z', 9]]);
  expect(
    await plant.rows(
      `select local_bucket::text, count, mean, last, weighted_mean, share, whole
       from bi.hours('pump1', 'temp', '2026-05-04T05:00Z', '2026-05-04T11:00Z')`,
    ),
  ).toEqual([
    ['2026-05-04 07:00:00', 0, null, null, null, 0, false],
    ['2026-05-04 08:00:00', 1, 7, 7, 7, 1, true],
    ['2026-05-04 09:00:00', 0, null, null, 7, 1, true],
    // The gap ends what is known of the last value.
    ['2026-05-04 10:00:00', 0, null, null, null, 0.5, false],
    ['2026-05-04 11:00:00', 0, null, null, null, 1, true],
    ['2026-05-04 12:00:00', null, null, null, null, 1, true],
  ]);
});

test('points that a second reading finds came late; those of a first reading did not', async () => {
  const plant = await openPlant();
  const range = ['2026-05-04T06:00:00Z', '2026-05-04T08:00:00Z'] as const;
  await plant.write(range, [['2026-05-04T06:30:00Z', 7]]);
  await plant.write(
    range,
    [
      ['2026-05-04T06:30:00Z', 8],
      ['2026-05-04T07:10:00Z', 9],
      ['2026-05-04T07:50:00Z', 10],
    ],
    false,
  );
  // Not fresh for another store; here it is read for the first time.
  await plant.write(['2026-05-04T08:00:00Z', '2026-05-04T09:00:00Z'], [['2026-05-04T08:30:00Z', 7]], false);
  await plant.compute('2026-05-04T09:00:00Z');
  expect(
    await plant.rows(
      `select object, hour, points, lag_sec = date_part('epoch', found_at - '2026-05-04T07:10Z'::timestamptz) from bi.late_points`,
    ),
  ).toEqual([['pump1', us('2026-05-04T07:00:00Z'), 2, true]]);
  expect(await plant.rows('select count, last from bi.points_hourly order by bucket')).toEqual([
    [1, 8],
    [2, 10],
    [1, 7],
  ]);
});

test('hours that wait for the backlog are read, although points were appended to them', async () => {
  const plant = await openPlant();
  await plant.db.query(
    `insert into plantsync.rollup_backlog (series_ids, first_id, last_id, begins, ends)
     values ('{1}', 1, 1, '2026-05-04T06:00Z', '2026-05-04T06:30Z')`,
  );
  await plant.db.query(
    `select plant.make_month('samples', '2026-05-01'); insert into plant.samples (series_id, at, value) values (1, '2026-05-04T06:10Z', 1)`,
  );
  const appended = [31, 32, 33, 34, 35].map((minute) => [`2026-05-04T06:${minute}:00Z`, 5] as const);
  await plant.write(['2026-05-04T06:30:00Z', '2026-05-04T07:00:00Z'], appended);
  await plant.compute('2026-05-04T07:00:00Z');
  expect(await plant.rows('select count, min, max from bi.points_hourly')).toEqual([[6, 1, 5]]);
});
