import { expect, test } from 'vitest';
import { type MadePlant, type Time, useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

/** A property that is gone has days up to its last stored one only. */
const GONE = `update plant.series set vanished_at = '2025-01-01'`;
const days = (plant: MadePlant, more = '') =>
  plant.ask(`select day, consumption, resets, share from bi.counter_daily ${more} order by day`);

async function openCounter(range: readonly [Time, Time], points: readonly (readonly [Time, unknown])[]) {
  const plant = await openPlant();
  const series = await plant.series('meter1.energy', 'Double');
  await plant.store(series, range, points);
  await plant.run(GONE);
  return { plant, series };
}

test('a step counts on the day of the later point, and after a reset the new value counts', async () => {
  // Days of the plant begin at 23:00 UTC.
  const { plant, series } = await openCounter(
    ['2024-01-01 23:00', '2024-01-04 23:00'],
    [
      ['2024-01-02 00:00', 100],
      ['2024-01-02 12:00', 130],
      ['2024-01-02 22:30', 140],
      ['2024-01-02 23:30', 150],
      ['2024-01-03 10:00', 5],
      ['2024-01-03 11:00', null],
      ['2024-01-03 12:00', 8],
    ],
  );
  expect(await days(plant)).toEqual([
    ['2024-01-02', 40, 0, 1],
    ['2024-01-03', 18, 1, 1],
    // The counter stood still.
    ['2024-01-04', 0, 0, 1],
  ]);
  // A late point.
  await plant.store(series, ['2024-01-03 00:00', '2024-01-03 09:00'], [['2024-01-03 08:00', 170]]);
  expect(await days(plant, `where day = '2024-01-03'`)).toEqual([['2024-01-03', 38, 1, 1]]);
});

test('a day of which nothing is stored has no consumption, and a step over it counts on no day', async () => {
  const { plant, series } = await openCounter(
    ['2024-01-01 23:00', '2024-01-04 23:00'],
    [
      ['2024-01-02 12:00', 100],
      ['2024-01-02 18:00', 120],
      ['2024-01-04 12:00', 300],
      ['2024-01-04 14:00', 310],
    ],
  );
  await plant.uncover(series, ['2024-01-02 23:00', '2024-01-04 11:00']);
  expect(await days(plant)).toEqual([
    ['2024-01-02', 20, 0, 1],
    ['2024-01-03', null, null, 0],
    ['2024-01-04', 10, 0, 0.5],
  ]);
  // Within one day the step counts, although part of the day is not stored.
  await plant.uncover(series, ['2024-01-02 13:00', '2024-01-02 17:00']);
  expect((await days(plant))[0]).toEqual(['2024-01-02', 20, 0, 20 / 24]);
  await plant.store(series, ['2024-01-02 13:00', '2024-01-04 11:00'], [['2024-01-03 12:00', 200]]);
  expect(await days(plant)).toEqual([
    ['2024-01-02', 20, 0, 1],
    ['2024-01-03', 80, 0, 1],
    ['2024-01-04', 110, 0, 1],
  ]);
});

test('days follow the clock of the plant where it changes', async () => {
  const { plant } = await openCounter(
    ['2024-03-30 23:00', '2024-04-01 22:00'],
    [
      ['2024-03-30 23:00', 0],
      ['2024-03-31 21:59', 23],
      ['2024-03-31 22:00', 24],
    ],
  );
  expect(await days(plant)).toEqual([
    ['2024-03-31', 23, 0, 1],
    ['2024-04-01', 1, 0, 1],
  ]);
});

test('a series of texts is no counter, and a live one has a row for today', async () => {
  const plant = await openPlant();
  await plant.store(
    await plant.series('meter1.note'),
    ['2024-01-01 00:00', '2024-01-02 00:00'],
    [['2024-01-01 01:00', 'new']],
  );
  expect(await days(plant)).toEqual([]);
  const undeclared = await plant.series('meter1.odd', null);
  await plant.store(undeclared, ['2024-01-01 00:00', '2024-01-01 12:00'], [['2024-01-01 01:00', 1]]);
  expect((await days(plant))[0]).toEqual(['2024-01-01', 0, 0, 0.5]);
  expect(
    await plant.ask(
      `select consumption, share, day = (now() at time zone 'Europe/Berlin')::date as is_today
       from bi.counter_daily order by day desc limit 1`,
    ),
  ).toEqual([[null, 0, true]]);
});
