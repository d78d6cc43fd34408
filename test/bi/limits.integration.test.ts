import { expect, test } from 'vitest';
import { useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

const VIOLATIONS =
  'select object, limit_kind, limit_value, from_at, to_at, duration_sec, extreme, is_open, ends_unknown from bi.limit_violations order by object, from_at';

test('a violation lasts from the first value beyond the limit to one within it', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.temp', 'Double');
  await plant.run(
    `insert into plant.property_notes (object, property, low, high) values ('*', 'temp', 10, 90)`,
  );
  await plant.store(
    series,
    ['2024-01-01 00:00', '2024-01-02 00:00'],
    [
      ['2024-01-01 01:00', 90],
      ['2024-01-01 02:00', 91],
      ['2024-01-01 03:00', 95],
      ['2024-01-01 04:00', 9],
      ['2024-01-01 05:00', 10],
      ['2024-01-01 06:00', 92],
      ['2024-01-01 07:00', null],
      ['2024-01-01 08:00', 93],
      ['2024-01-01 20:00', 94],
    ],
  );
  expect(await plant.ask(VIOLATIONS)).toEqual([
    ['pump1', 'high', 90, '2024-01-01 02:00', '2024-01-01 04:00', 7200, 95, false, false],
    ['pump1', 'low', 10, '2024-01-01 04:00', '2024-01-01 05:00', 3600, 9, false, false],
    ['pump1', 'high', 90, '2024-01-01 06:00', '2024-01-01 07:00', 3600, 92, false, false],
    ['pump1', 'high', 90, '2024-01-01 08:00', null, 57_600, 94, true, false],
  ]);
  await plant.uncover(series, ['2024-01-01 10:00', '2024-01-01 19:00']);
  expect((await plant.ask(VIOLATIONS)).slice(3)).toEqual([
    ['pump1', 'high', 90, '2024-01-01 08:00', '2024-01-01 10:00', 7200, 93, false, true],
    ['pump1', 'high', 90, '2024-01-01 20:00', null, 14_400, 94, true, false],
  ]);
});

test('a property without limits, and one within them, has no violation', async () => {
  const plant = await openPlant();
  const day = ['2024-01-01 00:00', '2024-01-02 00:00'] as const;
  for (const [name, value] of [
    ['pump1', 50],
    ['pump2', 500],
    ['pump3', -5],
  ] as const)
    await plant.store(await plant.series(`${name}.temp`, 'Double'), day, [['2024-01-01 01:00', value]]);
  expect(await plant.ask(VIOLATIONS)).toEqual([]);
  await plant.run(
    `insert into plant.property_notes (object, property, high) values ('pump1', 'temp', 90), ('pump3', 'temp', 0)`,
  );
  expect(await plant.ask(VIOLATIONS)).toEqual([]);
  await plant.run(`insert into plant.property_notes (object, property, low) values ('*', 'temp', 0)`);
  expect(await plant.ask(VIOLATIONS)).toEqual([
    ['pump3', 'low', 0, '2024-01-01 01:00', null, 82_800, -5, true, false],
  ]);
});
