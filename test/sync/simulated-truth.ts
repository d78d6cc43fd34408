import { expect } from 'vitest';
import type { Simulator } from '../../src/simulator/options.ts';
import type { PointTruth } from '../../src/simulator/truth.ts';
import { openInfluxReader } from '../support/influx-reader.ts';
import type { DatabaseReader, PlantDatabases } from '../support/plant-databases.ts';

interface Plant {
  readonly simulator: Simulator;
  readonly databases: DatabaseReader;
}

/** Every record that the simulator's lists hold is one row, with its values in the right columns, and there is no other row. */
export async function expectDirectory({ simulator, databases }: Plant): Promise<void> {
  const { truth } = simulator;
  const persons = truth.records('listPersons').map((person) => [person.name, person.showName, person.gender]);
  expect(sorted(await databases.rows('select name, show_name, gender from plant.persons'))).toEqual(
    sorted(persons),
  );
  const objects = truth.records('listObjects');
  expect(
    sorted(
      await databases.rows(
        'select name, show_name, description, status, created_at, created_by, model_labels from plant.objects',
      ),
    ),
  ).toEqual(
    sorted(
      objects.map((o) => [
        o.name,
        o.showName,
        o.description,
        o.status,
        Date.parse(String(o.createTime)) * 1000,
        o.createUsername,
        o.modelLabels,
      ]),
    ),
  );
  const properties = objects.flatMap((object) =>
    truth
      .records('listObjectProperties', { path: { objName: String(object.name) } })
      .map((p) => [object.name, p.name, p.showName, p.primitiveType, p.persisted, p.logged]),
  );
  expect(
    sorted(
      await databases.rows(
        'select object, property, show_name, primitive_type, persisted, logged from plant.object_properties',
      ),
    ),
  ).toEqual(sorted(properties));
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

interface HistoryQuestion {
  readonly fromMs: number;
  readonly toMs: number;
  /** What the platform's dialect lets through of a point; undefined for nothing. */
  readonly shown?: ((point: PointTruth) => PointTruth | undefined) | undefined;
}

/** Every point of the truth in `[fromMs, toMs)` is stored once, with its value, and nothing else is stored there. */
export async function expectHistory(
  { simulator, databases }: Plant,
  { fromMs, toMs, shown }: HistoryQuestion,
): Promise<number> {
  let points = 0;
  for (const { object, property } of simulator.truth.series()) {
    const expected = expectedPoints(simulator, `${object}.${property}`, { fromMs, toMs, shown });
    const { rows } = await databases.db.query<{ at: number; value: number | null; text: string | null }>(
      `select at, value, text from plant.samples join plant.series using (series_id)
       where object = $1 and property = $2 and at >= to_timestamp($3) and at < to_timestamp($4) order by at`,
      [object, property, fromMs / 1000, toMs / 1000],
    );
    expect(
      rows.map(({ at, value, text }) => [at, value, text]),
      `${object}.${property}`,
    ).toEqual(expected);
    points += rows.length;
  }
  return points;
}

/** The same of InfluxDB, where null leaves no point. Series whose names a tag cannot hold as they are are not looked for. */
export async function expectInfluxHistory(
  { simulator, databases }: Plant & { databases: Pick<PlantDatabases, 'sections'> },
  { fromMs, toMs }: Pick<HistoryQuestion, 'fromMs' | 'toMs'>,
): Promise<number> {
  const reader = openInfluxReader(databases.sections.influx);
  let points = 0;
  try {
    for (const { object, property } of simulator.truth.series()) {
      const expected = expectedPoints(simulator, `${object}.${property}`, { fromMs, toMs });
      const stored = await reader.points({ object, property }, { from: fromMs * 1000, to: toMs * 1000 });
      expect(
        stored.times.map((at, k) => [at, stored.values[k], stored.texts[k]]),
        `${object}.${property}`,
      ).toEqual(expected.filter(([, value, text]) => value !== null || text !== null));
      points += stored.times.length;
    }
  } finally {
    await reader.close();
  }
  return points;
}

type ExpectedPoint = [at: number, value: number | null, text: string | null];

/** Ascending in time; of equal times the last counts. */
function expectedPoints(
  simulator: Simulator,
  name: string,
  { fromMs, toMs, shown = (point) => point }: HistoryQuestion,
): ExpectedPoint[] {
  const truth = simulator.truth
    .history(name, fromMs, toMs)
    .map(shown)
    .filter((point) => point !== undefined);
  const byTime = new Map(truth.map(([timeMs, value]) => [Math.round(timeMs * 1000), expectedValue(value)]));
  return [...byTime].sort(([a], [b]) => a - b).map(([at, [value, text]]) => [at, value, text]);
}

function expectedValue(value: unknown): [value: number | null, text: string | null] {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return [null, null];
  if (typeof value === 'boolean') return [value ? 1 : 0, null];
  if (typeof value === 'number') return [value, null];
  if (typeof value === 'bigint')
    return [Number(value), Number.isSafeInteger(Number(value)) ? null : String(value)];
  return [null, typeof value === 'string' ? value : JSON.stringify(value)];
}
