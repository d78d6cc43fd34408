import { expect } from 'vitest';
import type { Database } from '../../../src/postgres/connect.ts';
import type { Range } from '../../../src/series/types.ts';

/** A stored point. */
interface Point {
  readonly at: number;
  readonly value: number | null;
}

/** A rollup as the table has it. */
type RollupRow = Record<string, number | null>;

interface Bucket extends Range {
  readonly seriesId: number;
}

/** Expects that the tables hold what the points and the coverage say. */
export async function expectRollups(
  db: Database,
  { zone, until }: { zone: string; until: number },
): Promise<void> {
  const rounded = (rows: readonly RollupRow[]) =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          value === null ? null : Number(value.toPrecision(12)),
        ]),
      ),
    );
  for (const [table, step] of [
    ['rollup_hourly', 'hour'],
    ['rollup_daily', 'day'],
  ] as const) {
    const { rows } = await db.query(`select * from plant.${table} order by series_id, bucket`);
    // Changes in the hours of a day that are not over yet wait for the end of their hour.
    const isOver = ({ ends_at }: RollupRow) => step === 'hour' || Number(ends_at) <= until;
    const expected = await modelRollups(db, { step, zone, until });
    expect(rounded((rows as RollupRow[]).filter(isOver))).toEqual(rounded(expected.filter(isOver)));
  }
}

/**
 * Computes the rollups of a table from the points and the coverage that are stored, bucket by bucket and
 * point by point. The buckets are those of the server: `date_trunc` in the zone.
 */
async function modelRollups(
  db: Database,
  { step, zone, until }: { step: 'hour' | 'day'; zone: string; until: number },
): Promise<RollupRow[]> {
  const points = await readPoints(db, until);
  const covered = await readCovered(db);
  return (await readBuckets(db, { step, zone, until })).map((bucket) =>
    modelBucket(bucket, points.get(bucket.seriesId) ?? [], covered.get(bucket.seriesId) ?? []),
  );
}

async function readPoints(db: Database, until: number): Promise<Map<number, Point[]>> {
  const { rows } = await db.query('select series_id, at, value from plant.samples order by series_id, at');
  const points = new Map<number, Point[]>();
  for (const { series_id, at, value } of rows as { series_id: number; at: number; value: number | null }[])
    if (at < until) points.set(series_id, [...(points.get(series_id) ?? []), { at, value }]);
  return points;
}

async function readCovered(db: Database): Promise<Map<number, Range[]>> {
  const { rows } = await db.query(
    `select series_id, lower(r) as "from", upper(r) as "to" from plantsync.coverage, unnest(covered) as r
     where store = 'postgres:plant' and stream = 'history' order by series_id, r`,
  );
  const covered = new Map<number, Range[]>();
  for (const { series_id, from, to } of rows as { series_id: number; from: number; to: number }[])
    covered.set(series_id, [...(covered.get(series_id) ?? []), { from, to }]);
  return covered;
}

async function readBuckets(
  db: Database,
  { step, zone, until }: { step: 'hour' | 'day'; zone: string; until: number },
): Promise<Bucket[]> {
  // A clock change within an hour of the clock divides the hour. Clocks change at whole minutes.
  const bounds =
    step === 'hour'
      ? `select min(m) as "from", max(m) + interval '1 minute' as "to"
         from generate_series(b, b + interval '59 minutes', interval '1 minute') as m
         where date_trunc('hour', m, $1) = b`
      : `select b as "from", date_trunc('day', b + interval '36 hours', $1) as "to"`;
  const { rows } = await db.query(
    `select series_id as "seriesId", bounds.* from (
       select distinct series_id, date_trunc('${step}', at, $1) as b from plant.samples
       where at < timestamptz 'epoch' + $2::bigint * interval '1 microsecond') as found
     cross join lateral (${bounds}) as bounds order by 1, 2`,
    [zone, until],
  );
  return rows as unknown as Bucket[];
}

function modelBucket(bucket: Bucket, points: readonly Point[], covered: readonly Range[]): RollupRow {
  const own = points.filter(({ at }) => at >= bucket.from && at < bucket.to);
  const numbers = own.flatMap(({ value }) => value ?? []);
  let integral = 0;
  let knownUs = 0;
  points.forEach(({ at, value }, k) => {
    if (value === null) return;
    const end = covered.find(({ from, to }) => from <= at && at < to)?.to ?? at;
    const from = Math.max(at, bucket.from);
    const to = Math.min(points[k + 1]?.at ?? Number.POSITIVE_INFINITY, end, bucket.to);
    if (from >= to) return;
    integral += value * ((to - from) / 1e6);
    knownUs += to - from;
  });
  const coveredUs = covered.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, bucket.to) - Math.max(from, bucket.from)),
    0,
  );
  return {
    ...{ series_id: bucket.seriesId, bucket: bucket.from, ends_at: bucket.to },
    ...{ count: own.length, valued: numbers.length },
    min: numbers.length > 0 ? Math.min(...numbers) : null,
    max: numbers.length > 0 ? Math.max(...numbers) : null,
    sum: numbers.reduce((sum, value) => sum + value, 0),
    ...{ first_at: own[0]?.at ?? null, first: own[0]?.value ?? null },
    ...{ last_at: own.at(-1)?.at ?? null, last: own.at(-1)?.value ?? null },
    ...{ integral, known_sec: knownUs / 1e6, covered_sec: coveredUs / 1e6 },
  };
}
