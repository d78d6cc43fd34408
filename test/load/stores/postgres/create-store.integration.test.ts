import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresStore } from '../../../../src/load/stores/postgres/create-store.ts';
import type { PointStore } from '../../../../src/load/stores/store.ts';
import type { Database } from '../../../../src/postgres/connect.ts';
import type { Range, SeriesPoints } from '../../../../src/series/types.ts';
import { awkwardText, openTestDatabase, pointsOf, times } from '../../test-data.ts';

let db: Database;
let close: () => Promise<void>;
let store: PointStore;
beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  store = createPostgresStore({ db, schema: 'plant' });
  await store.prepare();
});
afterAll(() => close());

const range: Range = { from: 0, to: 1 };
const noCommit = async (): Promise<void> => undefined;
const write = (series: SeriesPoints[], fresh: boolean, commit = noCommit) =>
  store.write({ stream: 'history', range, series, fresh }, commit);

async function read(table: string, ids: readonly number[]): Promise<unknown[]> {
  const { rows } = await db.query(
    `select series_id, at, value, text, quality from plant.${table} where series_id = any($1) order by series_id, at`,
    [ids],
  );
  return rows.map((row) => [row.series_id, row.at, row.value, row.text, row.quality]);
}

function flat(series: readonly SeriesPoints[]): unknown[] {
  return series.flatMap((p) =>
    p.times.map((at, i) => [p.series.id, at, p.values[i], p.texts[i], p.qualities[i]]),
  );
}

const anyPoints = (id: number): fc.Arbitrary<SeriesPoints> =>
  fc
    .uniqueArray(
      fc.record({
        at: times,
        value: fc.option(
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
          { nil: null },
        ),
        text: fc.option(awkwardText, { nil: null }),
        quality: fc.constantFrom(null, 'nan' as const, 'mistyped' as const),
      }),
      { selector: (point) => point.at, maxLength: 12 },
    )
    .map((points) => points.sort((a, b) => a.at - b.at))
    .map((points) => ({
      ...pointsOf(id, []),
      times: points.map((point) => point.at),
      values: points.map((point) => point.value),
      texts: points.map((point) => point.text),
      qualities: points.map((point) => point.quality),
    }));

test('the identity names the schema, not the server, which may move', () => {
  expect(store.id).toBe('postgres:plant');
});

const manyPoints = pointsOf(
  3,
  Array.from({ length: 1_000 }, (_, i) => [Date.UTC(2026, 10, 2) * 1000 + i, i / 3] as const),
);

test('points come back exactly, whatever their time and text, appended or merged', async () => {
  await fc.assert(
    fc.asyncProperty(anyPoints(1), anyPoints(2), fc.boolean(), async (one, two, fresh) => {
      // Few points are written by one statement, many by a COPY.
      for (const others of [[], [manyPoints]]) {
        await db.query('delete from plant.samples where series_id in (1, 2, 3)');
        const expected = flat([one, two, ...others]);
        const written = await write([...others, two, one], fresh);
        expect(written).toEqual({ written: expected.length, skipped: 0, refused: [] });
        expect(await read('samples', [1, 2, 3])).toEqual(expected);
        expect((await write([one, two], false)).written).toBe(0);
      }
    }),
    { numRuns: 20 },
  );
});

test('a few points are inserted by one statement, but not with long texts, which would take many times their size of memory', async () => {
  const inserted = async (id: number, text: string): Promise<number> => {
    let count = 0;
    const batch = {
      stream: 'history/7s/mean',
      range,
      series: [pointsOf(id, [[0, null, text]])],
      fresh: true,
    };
    await store.write(batch, async (tx) => {
      const { rows = [] } =
        (await tx?.query("select from pg_prepared_statements where statement like '%samples_7s_mean%'")) ??
        {};
      count = rows.length;
    });
    return count;
  };
  expect(await inserted(1, 'x'.repeat(100_000))).toBe(0);
  expect(await inserted(2, 'x')).toBe(1);
  expect(await read('samples_7s_mean', [1, 2])).toEqual([
    [1, 0, null, 'x'.repeat(100_000), null],
    [2, 0, null, 'x', null],
  ]);
});

const day = 86_400_000_000;
const newYear = Date.UTC(2027, 0, 1) * 1000;

test('an append that meets a stored point becomes a merge: nothing twice, the last value stands', async () => {
  await write(
    [
      pointsOf(10, [
        [newYear, 1],
        [newYear + 1, 2],
      ]),
    ],
    true,
  );
  const again = [
    pointsOf(10, [
      [newYear - 1, 0],
      [newYear, 1],
      [newYear + 1, 7],
      [newYear + 2, 3],
    ]),
  ];
  let commits = 0;
  const result = await write(again, true, async () => {
    commits += 1;
  });
  expect(result.written).toBe(3);
  expect(commits).toBe(1);
  expect(await read('samples', [10])).toEqual(flat(again));
});

test('a point that does not differ is not even locked', async () => {
  const points = [
    pointsOf(11, [
      [newYear, 1],
      [newYear + 1, null, 'text', 'mistyped'],
    ]),
  ];
  await write(points, true);
  const stamp = async () =>
    (await db.query('select xmin::text, xmax::text from plant.samples where series_id = 11')).rows;
  const before = await stamp();
  expect((await write(points, false)).written).toBe(0);
  expect(await stamp()).toEqual(before);
});

test('many writers that need the same new partitions make each once, and all points arrive', async () => {
  const writers = Array.from({ length: 8 }, (_, n) =>
    createPostgresStore({ db, schema: 'plant' }).write(
      {
        stream: 'history',
        range,
        series: [
          pointsOf(
            100 + n,
            Array.from({ length: 40 }, (_, i) => [Date.UTC(2031, i, 1) * 1000 - (n % 2), i] as const),
          ),
        ],
        fresh: n % 2 === 0,
      },
      noCommit,
    ),
  );
  const results = await Promise.all(writers);
  expect(results.map((result) => result.written)).toEqual(results.map(() => 40));
  const { rows } = await db.query(
    "select count(*) as n from plant.samples where at >= '2030-12-01' and series_id >= 100",
  );
  expect(rows).toEqual([{ n: 320 }]);
});

test('a partition is a month in UTC and named like it', async () => {
  const at = Date.UTC(2026, 10, 30, 23, 59, 59) * 1000 + 999_999;
  await write(
    [
      pointsOf(12, [
        [at, 1],
        [at + 1_000_001 - 1, 2],
      ]),
    ],
    true,
  );
  const { rows } = await db.query(
    'select tableoid::regclass::text as partition from plant.samples where series_id = 12 order by at',
  );
  expect(rows).toEqual([{ partition: 'plant.samples_y2026m11' }, { partition: 'plant.samples_y2026m12' }]);
});

test('a partition that was dropped is made again', async () => {
  const points = pointsOf(17, [[Date.UTC(2035, 3, 2) * 1000, 1]]);
  const later = pointsOf(17, [[Date.UTC(2035, 3, 3) * 1000, 2]]);
  await write([points], true);
  await store.writePolls([points]);
  await db.query('drop table plant.samples_y2035m04');
  await write([later], true);
  expect(await read('samples', [17])).toEqual(flat([later]));
  await db.query('drop table plant.samples_y2035m04');
  await write([points], false);
  expect(await read('samples', [17])).toEqual(flat([points]));
  await db.query('drop table plant.samples_polled_y2035m04');
  await store.writePolls([later]);
  expect(await read('samples_polled', [17])).toEqual(flat([later]));
});

test('writers of the same points in opposite orders do not deadlock', async () => {
  const series = Array.from({ length: 200 }, (_, i) =>
    pointsOf(300 + i, [
      [newYear, 1],
      [newYear + 1, 2],
    ]),
  );
  const results = await Promise.all(
    [true, true, false, false].map((fresh, n) => write(n % 2 ? series.toReversed() : series, fresh)),
  );
  expect(results.reduce((sum, result) => sum + result.written, 0)).toBe(400);
});

test('an aggregate has a table of its own', async () => {
  const points = [pointsOf(13, [[newYear, 5]])];
  await write([pointsOf(13, [[newYear, 1]])], true);
  await store.write({ stream: 'history/300s/mean', range, series: points, fresh: true }, noCommit);
  expect(await read('samples_300s_mean', [13])).toEqual(flat(points));
  expect(await read('samples', [13])).toEqual([[13, newYear, 1, null, null]]);
});

test('if the coverage cannot be noted, the points are not stored', async () => {
  for (const fresh of [true, false])
    await expect(
      write([pointsOf(14, [[newYear, 1]])], fresh, async () => {
        throw new Error('the ledger refused');
      }),
    ).rejects.toThrow('the ledger refused');
  expect(await read('samples', [14])).toEqual([]);
});

test('a batch without points is committed all the same: an empty range is covered too', async () => {
  let commits = 0;
  for (const fresh of [true, false])
    await write([pointsOf(15, [])], fresh, async (tx?: unknown) => {
      if (tx !== undefined) commits += 1;
    });
  expect(commits).toBe(2);
});

test('polls are kept one by one, and the newest value of a series wins whatever the order', async () => {
  const base = Date.UTC(2024, 0, 1) * 1000;
  await store.writePolls([pointsOf(20, [[base + 10, 5]]), pointsOf(21, [[base, null, 'on']])]);
  await store.writePolls([pointsOf(20, [[base, 4]])]);
  await store.writePolls([pointsOf(20, [[base + 20, 5]]), pointsOf(21, [[base + 1, null, 'off']])]);
  const current = await db.query(
    'select at, value, text, changed_at from plant.current_values where series_id in (20, 21) order by series_id',
  );
  expect(current.rows).toEqual([
    { at: base + 20, value: 5, text: null, changed_at: base + 10 },
    { at: base + 1, value: null, text: 'off', changed_at: base + 1 },
  ]);
  expect(await read('samples_polled', [20])).toHaveLength(3);
  expect(await read('samples', [20])).toEqual([]);
});

test('a value from the future, dated by a wrong clock, gives way to any newer poll', async () => {
  const now = Math.floor(Date.now() / 1000) * 1_000_000;
  const hour = 3_600e6;
  await store.writePolls([pointsOf(23, [[now + hour, 7]])]);
  await store.writePolls([pointsOf(23, [[now, 7]])]);
  const current = await db.query(
    'select at, value, changed_at from plant.current_values where series_id = 23',
  );
  expect(current.rows).toEqual([{ at: now, value: 7, changed_at: now }]);
});

test('what belongs to a poll is in its transaction', async () => {
  const failing = store.writePolls([pointsOf(22, [[newYear, 1]])], async (tx) => {
    await tx?.query('select 1 / 0');
  });
  await expect(failing).rejects.toThrow('writing polled values: PostgreSQL answers: division by zero');
  expect(await read('samples_polled', [22])).toEqual([]);
  expect(await read('current_values', [22])).toEqual([]);
});

test('preparing again changes nothing and keeps the points', async () => {
  await write([pointsOf(16, [[newYear + day, 1]])], true);
  await createPostgresStore({ db, schema: 'plant' }).prepare();
  expect(await read('samples', [16])).toHaveLength(1);
});

test('a loader’s session can append, fail and merge in turn', async () => {
  // The same few connections serve all of these writes, with their staging tables.
  for (let i = 0; i < 20; i += 1)
    await write([pointsOf(400 + (i % 3), [[newYear + (i % 5), i]])], i % 2 === 0);
  expect(await read('samples', [400, 401, 402])).toHaveLength(15);
});
