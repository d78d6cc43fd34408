import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { openInfluxReader } from '../influx/influx-reader.ts';
import type { PlantDatabases } from '../plant-databases.ts';
import { expectTable, type Plant } from './directory-truth.ts';
import { expectedPoints, type PointsQuestion } from './expected-points.ts';

/** The columns that only the details of a record fill. */
const ofDetails = ['username', 'account_email', 'account_phone', 'account_time_zone', 'account_description'];

/** Expects the lists of persons, objects and properties in their tables, whether details were read or not. */
export async function expectDirectory(plant: Plant): Promise<void> {
  const without = [...ofDetails, 'template_name', 'detail_extra', 'detail_filled'];
  for (const table of ['persons', 'objects', 'object_properties'])
    await expectTable(plant, table, { without });
}

/**
 * Expects that every point of the truth in `[fromMs, toMs)` is stored once, with its value, and no other
 * point.
 */
export async function expectHistory(
  { simulator, databases }: Plant,
  { fromMs, toMs, shown }: PointsQuestion,
): Promise<number> {
  let points = 0;
  for (const { object, property } of simulator.truth.series()) {
    const expected = expectedPoints(simulator, `${object}.${property}`, { fromMs, toMs, shown });
    const { rows } = await databases.db.query<{ at: number; value: number | null; text: string | null }>(
      `select at, value, text from plant.samples join plant.series using (series_id)
       where object = $1 and property = $2 and at >= to_timestamp($3) and at < to_timestamp($4) order by at`,
      [object, property, fromMs / 1000, toMs / 1000],
    );
    const found = rows.map(({ at, value, text }) => [at, value, text]);
    expectPoints(found, expected, `${object}.${property}`);
    points += rows.length;
  }
  return points;
}

/**
 * Expects the same of InfluxDB, where null leaves no point. Series are skipped whose names a tag cannot hold
 * unchanged.
 */
export async function expectInfluxHistory(
  { simulator, databases }: Plant & { databases: Pick<PlantDatabases, 'sections'> },
  { fromMs, toMs }: Pick<PointsQuestion, 'fromMs' | 'toMs'>,
): Promise<number> {
  const reader = openInfluxReader(databases.sections.influx);
  let points = 0;
  try {
    for (const { object, property } of simulator.truth.series()) {
      const expected = expectedPoints(simulator, `${object}.${property}`, { fromMs, toMs });
      const stored = await reader.points({ object, property }, { from: fromMs * 1000, to: toMs * 1000 });
      expectPoints(
        stored.times.map((at, k) => [at, stored.values[k], stored.texts[k]]),
        expected.filter(([, value, text]) => value !== null || text !== null),
        `${object}.${property}`,
      );
      points += stored.times.length;
    }
  } finally {
    await reader.close();
  }
  return points;
}

/** Compares very many points. `toEqual` takes five times as long, so only a difference is left to it. */
function expectPoints(found: readonly unknown[], expected: readonly unknown[], series: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, series).toEqual(expected);
}
