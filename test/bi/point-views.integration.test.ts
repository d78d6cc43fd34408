import { expect, test } from 'vitest';
import { type BiDatabase, openBi } from './open-bi.ts';
import { fillSmallPlant } from './small-plant.ts';

const us = (text: string) => Date.parse(text) * 1000;

async function openPlant(): Promise<BiDatabase> {
  const bi = await openBi();
  await fillSmallPlant(bi);
  return bi;
}

test('points have the names of their series', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select object_name, property_name, unit, at, value, text, quality from bi.points order by series_id, at`,
    ),
  ).toEqual([
    ['Feed pump 1', 'Bearing temperature', '°C', us('2026-02-10'), 20, null, null],
    ['Feed pump 1', 'Bearing temperature', '°C', us('2026-03-01'), 21.5, null, null],
    ['Feed pump 1', 'mode', null, us('2026-02-10'), null, 'running', null],
    ['pump2', 'Temperature of the spare pump', '°C', us('2026-02-11'), null, null, 'null'],
  ]);
});

test('latest is the newer of history and polls, history if both are equally new, and null without any', async () => {
  const bi = await openPlant();
  const latest = () =>
    bi.rows('select object, property, at, value, text, quality, source from bi.latest order by series_id');
  const before = await latest();
  expect(before).toEqual([
    ['pump1', 'temp', us('2026-03-01'), 21.5, null, null, 'history'],
    ['pump1', 'mode', us('2026-03-02'), null, 'idle', null, 'poll'],
    ['pump2', 'temp', us('2026-02-11'), null, null, 'null', 'history'],
    ['tank', 'level', null, null, null, null, null],
  ]);
  await bi.db.query(`delete from plant.samples where at = '2026-03-01T00:00Z'`);
  expect((await latest())[0]).toEqual(['pump1', 'temp', us('2026-02-28'), 21, null, null, 'poll']);
});

test('latest tells the age of each value in seconds', async () => {
  const bi = await openPlant();
  await bi.db.query(`update plant.current_values set at = now() - interval '90 s' where series_id = 2`);
  // Within one transaction the time stands still.
  expect(
    await bi.rows(
      `select age_sec = extract(epoch from now() - c.at)::double precision as is_age, age_sec >= 90
       from bi.latest join plant.current_values as c using (series_id) where series_id = 2`,
    ),
  ).toEqual([[true, true]]);
  expect(await bi.rows(`select age_sec from bi.latest where object = 'tank'`)).toEqual([[null]]);
});

test('latest looks each series up in the index of each month, and sorts nothing', async () => {
  const bi = await openPlant();
  const plan = (await bi.rows('explain (costs off) select * from bi.latest')).flat().join('\n');
  expect(plan).toMatch(/Index Scan Backward using samples_y2026m03_pkey/);
  expect(plan).not.toMatch(/Seq Scan on samples/);
});
