import { expect, test } from 'vitest';
import { useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

const day = ['2024-01-01 00:00', '2024-01-02 00:00'] as const;
const INTERVALS =
  'select state, from_at, to_at, duration_sec, is_open, ends_unknown from bi.state_intervals order by 2';
const statesOf = (from: string, to: string) =>
  `select state, from_at, to_at, duration_sec from bi.states('pump1', 'state', '${from}', '${to}')`;

test('a state goes on over equal points, and ends with another one', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, day, [
    ['2024-01-01 01:00', 'idle'],
    ['2024-01-01 02:00', 'running'],
    ['2024-01-01 03:00', 'running'],
    ['2024-01-01 05:00', 'idle'],
  ]);
  expect(await plant.ask(INTERVALS)).toEqual([
    ['idle', '2024-01-01 01:00', '2024-01-01 02:00', 3600, false, false],
    ['running', '2024-01-01 02:00', '2024-01-01 05:00', 10_800, false, false],
    ['idle', '2024-01-01 05:00', null, 68_400, true, false],
  ]);
  expect(await plant.ask(statesOf('2024-01-01 00:00', '2024-01-01 03:30'))).toEqual([
    [null, '2024-01-01 00:00', '2024-01-01 01:00', 3600],
    ['idle', '2024-01-01 01:00', '2024-01-01 02:00', 3600],
    ['running', '2024-01-01 02:00', '2024-01-01 03:30', 5400],
  ]);
  // The point before the range tells the state at its begin.
  expect(await plant.ask(statesOf('2024-01-01 02:30', '2024-01-03 00:00'))).toEqual([
    ['running', '2024-01-01 02:30', '2024-01-01 05:00', 9000],
    ['idle', '2024-01-01 05:00', '2024-01-02 00:00', 68_400],
    [null, '2024-01-02 00:00', '2024-01-03 00:00', 86_400],
  ]);
  // A late point.
  await plant.store(series, ['2024-01-01 02:00', '2024-01-01 06:00'], [['2024-01-01 02:30', 'fault']]);
  expect(await plant.ask(statesOf('2024-01-01 02:00', '2024-01-01 06:00'))).toEqual([
    ['running', '2024-01-01 02:00', '2024-01-01 02:30', 1800],
    ['fault', '2024-01-01 02:30', '2024-01-01 03:00', 1800],
    ['running', '2024-01-01 03:00', '2024-01-01 05:00', 7200],
    ['idle', '2024-01-01 05:00', '2024-01-01 06:00', 3600],
  ]);
});

test('no state goes on over a range that is not stored', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, day, [
    ['2024-01-01 01:00', 'running'],
    ['2024-01-01 14:00', 'running'],
    ['2024-01-01 15:00', 'idle'],
  ]);
  await plant.uncover(series, ['2024-01-01 06:00', '2024-01-01 12:00']);
  expect(await plant.ask(INTERVALS)).toEqual([
    ['running', '2024-01-01 01:00', '2024-01-01 06:00', 18_000, false, true],
    ['running', '2024-01-01 14:00', '2024-01-01 15:00', 3600, false, false],
    ['idle', '2024-01-01 15:00', null, 32_400, true, false],
  ]);
  const known = [
    [null, '2024-01-01 00:00', '2024-01-01 01:00', 3600],
    ['running', '2024-01-01 01:00', '2024-01-01 06:00', 18_000],
    [null, '2024-01-01 06:00', '2024-01-01 14:00', 28_800],
    ['running', '2024-01-01 14:00', '2024-01-01 15:00', 3600],
    ['idle', '2024-01-01 15:00', '2024-01-02 00:00', 32_400],
  ];
  expect(await plant.ask(statesOf(...day))).toEqual(known);
  expect(await plant.ask(statesOf('2024-01-01 08:00', '2024-01-01 09:00'))).toEqual([
    [null, '2024-01-01 08:00', '2024-01-01 09:00', 3600],
  ]);
  // A repair that found nothing new stores the range again.
  await plant.store(series, ['2024-01-01 06:00', '2024-01-01 12:00']);
  expect(await plant.ask(INTERVALS)).toEqual([
    ['running', '2024-01-01 01:00', '2024-01-01 15:00', 50_400, false, false],
    ['idle', '2024-01-01 15:00', null, 32_400, true, false],
  ]);
});

test('a point that is not covered tells no state, and makes the end of the one before unknown', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, day, [
    ['2024-01-01 01:00', 'running'],
    ['2024-01-01 20:00', 'idle'],
  ]);
  await plant.uncover(series, ['2024-01-01 10:00', '2024-01-02 00:00']);
  expect(await plant.ask(INTERVALS)).toEqual([
    ['running', '2024-01-01 01:00', '2024-01-01 10:00', 32_400, false, true],
  ]);
  expect(await plant.ask(statesOf('2024-01-01 09:00', '2024-01-02 00:00'))).toEqual([
    ['running', '2024-01-01 09:00', '2024-01-01 10:00', 3600],
    [null, '2024-01-01 10:00', '2024-01-02 00:00', 50_400],
  ]);
});

test('what only another store has is not known here', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, ['2024-01-01 00:00', '2024-01-01 03:00'], [['2024-01-01 01:00', 'running']]);
  await plant.run(
    `insert into plantsync.coverage select s.store, s.stream, series_id, '{[2024-01-01, 2024-01-03)}'
     from plantsync.coverage, (values ('influx:http://there/plant', 'history'), ('postgres:old', 'history'),
       ('postgres:plant', 'history/300s/mean')) as s (store, stream)`,
  );
  expect(await plant.ask(INTERVALS)).toEqual([['running', '2024-01-01 01:00', null, 7200, true, false]]);
  expect(await plant.ask(statesOf('2024-01-01 02:00', '2024-01-01 04:00'))).toEqual([
    ['running', '2024-01-01 02:00', '2024-01-01 03:00', 3600],
    [null, '2024-01-01 03:00', '2024-01-01 04:00', 3600],
  ]);
});

test('a point without a value ends a state, and an odd value is a state of its own', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state', 'Boolean');
  await plant.store(
    series,
    ['2024-01-01 00:00', '2024-01-01 08:00'],
    [
      ['2024-01-01 01:00', true],
      ['2024-01-01 02:00', null],
      ['2024-01-01 03:00', null],
      ['2024-01-01 04:00', false],
      ['2024-01-01 05:00', 'maybe'],
      ['2024-01-01 06:00', true],
    ],
  );
  expect(
    await plant.ask('select state, value, from_at, to_at, duration_sec from bi.state_intervals order by 3'),
  ).toEqual([
    ['true', 1, '2024-01-01 01:00', '2024-01-01 02:00', 3600],
    ['false', 0, '2024-01-01 04:00', '2024-01-01 05:00', 3600],
    ['maybe', null, '2024-01-01 05:00', '2024-01-01 06:00', 3600],
    ['true', 1, '2024-01-01 06:00', null, 7200],
  ]);
  expect(await plant.ask(statesOf('2024-01-01 01:30', '2024-01-01 04:30'))).toEqual([
    ['true', '2024-01-01 01:30', '2024-01-01 02:00', 1800],
    [null, '2024-01-01 02:00', '2024-01-01 04:00', 7200],
    ['false', '2024-01-01 04:00', '2024-01-01 04:30', 1800],
  ]);
  const numbers = await plant.series('pump1.mode', 'Double');
  const huge = 9_007_199_254_740_993n;
  await plant.store(
    numbers,
    ['2024-01-01 00:00', '2024-01-01 08:00'],
    [
      ['2024-01-01 01:00', 3],
      ['2024-01-01 02:00', Number.NaN],
      ['2024-01-01 03:00', 0.1],
      ['2024-01-01 04:00', huge],
      ['2024-01-01 05:00', huge - 1n],
    ],
  );
  expect(
    await plant.ask(`select state, to_at from bi.state_intervals where property = 'mode' order by from_at`),
  ).toEqual([
    ['3', '2024-01-01 02:00'],
    ['0.1', '2024-01-01 04:00'],
    [String(huge), '2024-01-01 05:00'],
    [String(huge - 1n), null],
  ]);
});

test('the state of a property that is gone has an unknown end', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, day, [['2024-01-01 01:00', 'running']]);
  await plant.run(`update plant.series set vanished_at = '2024-01-05'`);
  expect(await plant.ask(INTERVALS)).toEqual([
    ['running', '2024-01-01 01:00', '2024-01-02 00:00', 82_800, false, true],
  ]);
});

test('an unknown property has no states, and nothing is told of the future', async () => {
  const plant = await openPlant();
  await plant.series('pump1.state');
  expect(await plant.ask(`select * from bi.states('pump2', 'state', '2024-01-01', '2024-01-02')`)).toEqual(
    [],
  );
  expect(await plant.ask(statesOf('2024-01-01 00:00', '2024-01-01 00:00'))).toEqual([]);
  expect(await plant.ask(statesOf('2024-01-02 00:00', '2024-01-01 00:00'))).toEqual([]);
  expect(
    await plant.ask(
      `select state, from_at = now() - interval '1 h' as begins, to_at = now() as ends
       from bi.states('pump1', 'state', now() - interval '1 h', now() + interval '1 h')`,
    ),
  ).toEqual([[null, true, true]]);
  expect(
    await plant.ask(
      `select * from bi.states('pump1', 'state', now() + interval '1 h', now() + interval '2 h')`,
    ),
  ).toEqual([]);
});

test('a day with a clock change has 23 or 25 hours of states', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.state');
  await plant.store(series, ['2024-01-01 00:00', '2024-12-31 00:00'], [['2024-01-01 00:00', 'running']]);
  const hours = (on: string) =>
    plant.ask(
      `select state, duration_sec / 3600 from bi.states('pump1', 'state',
         timestamp '${on}' at time zone 'Europe/Berlin', (timestamp '${on}' + interval '1 d') at time zone 'Europe/Berlin')`,
    );
  expect(await hours('2024-03-31')).toEqual([['running', 23]]);
  expect(await hours('2024-10-27')).toEqual([['running', 25]]);
});
