import { expect, test } from 'vitest';
import { type BiDatabase, openBi } from './open-bi.ts';
import { fillSmallPlant } from './small-plant.ts';

const us = (text: string) => Date.parse(text) * 1000;
const HOUR = 3600;

async function openPlant(): Promise<BiDatabase> {
  const bi = await openBi();
  await fillSmallPlant(bi);
  await bi.db.query(
    `insert into plantsync.coverage (store, stream, series_id, covered) values
       ('postgres:plant', 'history', 1, '{[2025-10-25 00:00Z,2025-10-26 12:00Z),[2025-10-26 18:00Z,2025-10-27 23:00Z)}'),
       ('postgres:plant', 'history', 2, '{}'),
       ('influx:a', 'history', 1, '{[2025-10-20 00:00Z,2025-10-30 00:00Z)}'),
       ('influx:a', 'history/300s/mean', 3, '{[2025-10-26 00:00Z,2025-10-27 00:00Z)}'),
       ('postgres:plant', 'alarms', 0, '{[2025-10-26 00:00Z,2025-10-27 00:00Z)}')`,
  );
  return bi;
}

test('coverage tells what is stored of each series, and of the alarms', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select store, stream, object_name, property, covered_from, covered_to, covered_sec
       from bi.coverage order by 1, 2, series_id`,
    ),
  ).toEqual([
    ['influx:a', 'history', 'Feed pump 1', 'temp', us('2025-10-20'), us('2025-10-30'), 240 * HOUR],
    ['influx:a', 'history/300s/mean', 'pump2', 'temp', us('2025-10-26'), us('2025-10-27'), 24 * HOUR],
    ['postgres:plant', 'alarms', null, null, us('2025-10-26'), us('2025-10-27'), 24 * HOUR],
    [
      'postgres:plant',
      'history',
      'Feed pump 1',
      'temp',
      us('2025-10-25'),
      us('2025-10-27T23:00Z'),
      65 * HOUR,
    ],
    ['postgres:plant', 'history', 'Feed pump 1', 'mode', null, null, 0],
  ]);
});

test('completeness has a row for each store, series and day of the plant, of 25 hours where the clock changes', async () => {
  const bi = await openPlant();
  const rows = await bi.rows(
    `select store, object, property, bucket, covered_sec / 3600 as covered, wanted_sec / 3600 as wanted, round(share::numeric, 4)::text
     from bi.completeness('2025-10-25T22:00Z', '2025-10-27T23:00Z', '1 day')
     where stream = 'history' and object = 'pump1' order by store, series_id, bucket`,
  );
  expect(rows).toEqual([
    ['influx:a', 'pump1', 'temp', us('2025-10-25T22:00Z'), 25, 25, '1.0000'],
    ['influx:a', 'pump1', 'temp', us('2025-10-26T23:00Z'), 24, 24, '1.0000'],
    ['influx:a', 'pump1', 'mode', us('2025-10-25T22:00Z'), 0, 25, '0.0000'],
    ['influx:a', 'pump1', 'mode', us('2025-10-26T23:00Z'), 0, 24, '0.0000'],
    ['postgres:plant', 'pump1', 'temp', us('2025-10-25T22:00Z'), 19, 25, '0.7600'],
    ['postgres:plant', 'pump1', 'temp', us('2025-10-26T23:00Z'), 24, 24, '1.0000'],
    ['postgres:plant', 'pump1', 'mode', us('2025-10-25T22:00Z'), 0, 25, '0.0000'],
    ['postgres:plant', 'pump1', 'mode', us('2025-10-26T23:00Z'), 0, 24, '0.0000'],
  ]);
});

test('completeness has an aggregate only of series that have it, and the alarms not at all', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select distinct store, stream, object from bi.completeness('2025-10-26T00:00Z', '2025-10-27T00:00Z', '1 day')
       where stream <> 'history' order by 1`,
    ),
  ).toEqual([['influx:a', 'history/300s/mean', 'pump2']]);
});

test('steps within a day begin at multiples from midnight, and are cut at the ends of the range', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select bucket, covered_sec, wanted_sec from bi.completeness('2025-10-26T11:30Z', '2025-10-26T20:00Z', '4 hours')
       where store = 'postgres:plant' and property = 'temp' and object = 'pump1' order by bucket`,
    ),
  ).toEqual([
    [us('2025-10-26T10:00Z'), 0.5 * HOUR, 2.5 * HOUR],
    [us('2025-10-26T14:00Z'), 0, 4 * HOUR],
    [us('2025-10-26T18:00Z'), 2 * HOUR, 2 * HOUR],
  ]);
});

test('what lies ahead, or after a series vanished, is not wanted', async () => {
  const bi = await openPlant();
  await bi.db.query(`update plant.series set vanished_at = '2025-10-26T10:00Z' where series_id = 1`);
  await bi.db.query(`update plant.series set vanished_at = '2025-10-20T00:00Z' where series_id = 3`);
  const rows = await bi.rows(
    `select object, property, bucket, wanted_sec from bi.completeness('2025-10-26T08:00Z', '2025-10-26T12:00Z', '1 hour')
     where store = 'influx:a' and object like 'pump%' and property = 'temp' order by series_id, bucket`,
  );
  expect(rows).toEqual([
    ['pump1', 'temp', us('2025-10-26T08:00Z'), HOUR],
    ['pump1', 'temp', us('2025-10-26T09:00Z'), HOUR],
  ]);
  expect(
    await bi.rows(
      `select max(wanted_sec) <= 86400, count(*)::int from bi.completeness(now() - interval '1 hour', now() + interval '9 days', '10 days')
       where store = 'influx:a' and object = 'tank'`,
    ),
  ).toEqual([[true, 1]]);
});
