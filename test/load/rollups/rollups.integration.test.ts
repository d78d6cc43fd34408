import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PortionLimits } from '../../../src/load/rollups/collect-changes.ts';
import { RollupPortions } from '../../../src/load/rollups/rollup-portions.ts';
import { keepMarks, readRollupProgress } from '../../../src/load/rollups/rollup-state.ts';
import { createPostgresStore } from '../../../src/load/stores/postgres/create-store.ts';
import { createHistoryNotes } from '../../../src/load/stores/postgres/note-history.ts';
import { createRollupMarks } from '../../../src/postgres/rollup-marks.ts';
import { rollupTables } from '../../../src/postgres/rollup-tables.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { Range, Series, SeriesPoints } from '../../../src/series/types.ts';
import { createZoneGrid } from '../../../src/series/zone-grid.ts';
import { describeBehind } from '../../../src/sync/rollups/keep-rollups.ts';
import { openTestLedger, type TestLedger } from '../../ledger/test-ledger.ts';
import { expectRollups } from './model.ts';

const MINUTE = 60e6;
const HOUR = 60 * MINUTE;
const store = 'postgres:plant';
const history = { store, stream: 'history' };
const tables = rollupTables(defaultSchemas);

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
  await createPostgresStore({ db: opened.db, schema: 'plant' }).prepare();
  await opened.db.query(
    `insert into plant.series (object, property, primitive_type) select 'o', 'p' || n, 'Double' from generate_series(1, 3) as n`,
  );
});
afterAll(() => opened.close());
beforeEach(clear);

async function clear(): Promise<void> {
  await opened.db.query(
    `delete from plant.samples; delete from plantsync.coverage; delete from plant.rollup_hourly; delete from plant.rollup_daily;
     delete from plantsync.rollup_marks; delete from plantsync.rollup_backlog; delete from plantsync.late_points;
     update plantsync.rollup_state set kept = true, begun = true, zone = null`,
  );
}

const series = (id: number): Series => ({ id, object: 'o', property: `p${id}`, primitiveType: 'Double' });

/** A point, by its distance from the begin of a window. */
interface Offset {
  readonly minute: number;
  readonly value: number | null;
}

function pointsOf(id: number, from: number, offsets: readonly Offset[]): SeriesPoints {
  const byTime = new Map(offsets.map(({ minute, value }) => [from + minute * MINUTE, value]));
  const times = [...byTime.keys()].sort((a, b) => a - b);
  const nothing = times.map(() => null);
  const values = times.map((time) => byTime.get(time) ?? null);
  return { series: series(id), times, values, texts: nothing, qualities: nothing };
}

/** The rollups of an installation in one zone, with a loader and a job. */
function openSite(
  zone: string,
  { keepsRollups = true, limits: taken }: { keepsRollups?: boolean; limits?: PortionLimits | undefined } = {},
) {
  const { db, ledger } = opened;
  const grid = createZoneGrid(zone);
  const marks = createRollupMarks(defaultSchemas);
  const notes = createHistoryNotes({ marks, grid, store, keepsRollups });
  const points = createPostgresStore({ db, schema: 'plant', notes });

  return {
    async write(range: Range, all: readonly SeriesPoints[]): Promise<void> {
      const seriesIds = all.map((each) => each.series.id);
      const covered = await ledger.coverage.read({ ...history, seriesIds });
      const fresh = [...covered.values()]
        .flat()
        .every(({ from, to }) => to <= range.from || from >= range.to);
      await points.write({ stream: 'history', range, series: [...all], fresh }, (tx) =>
        ledger.coverage.add({ ...history, seriesIds, range }, tx),
      );
    },
    /** @param staysCovered whether the range is known to have no points, as after a comparison */
    async remove(id: number, range: Range, staysCovered = false): Promise<void> {
      await points.remove?.('history', [{ series: series(id), ranges: [range] }], async () => {
        if (!staysCovered) await ledger.coverage.remove({ ...history, seriesIds: [id], range });
      });
    },
    /** Computes everything that is due. `dies` says at which portions the process dies before the commit. */
    async compute(
      until: number,
      dies: readonly boolean[] = [],
      keptSince = Number.NEGATIVE_INFINITY,
    ): Promise<void> {
      const fates = [...dies];
      const portions = new RollupPortions({
        ...{
          db,
          schemas: defaultSchemas,
          tables,
          grid,
          dueUntil: until,
          keptSince,
          limits: taken,
        },
        async readCoverage(tx, seriesIds) {
          if (fates.shift()) throw new Error('killed');
          return ledger.coverage.read({ ...history, seriesIds }, tx);
        },
      });
      const survive = (work: () => Promise<unknown>) =>
        work().catch((error: Error) => {
          if (!/killed/.test(error.message)) throw error;
          return true;
        });
      await portions.begin();
      while (await survive(() => portions.takeMarks()));
      while (await survive(() => portions.takeBacklog()));
    },
    expectRight: (until: number) => expectRollups(db, { zone, until }),
  };
}

type Site = ReturnType<typeof openSite>;

/** Begins of stretches in which a clock changes, and of one in which none does. */
const begins = {
  'Europe/Berlin': Date.UTC(2026, 9, 24, 20) * 1000,
  'America/St_Johns': Date.UTC(2026, 2, 8, 3) * 1000,
  'Asia/Kathmandu': Date.UTC(2026, 4, 31, 12) * 1000,
  'Asia/Kolkata': Date.UTC(2026, 4, 31, 12) * 1000,
  // The clock changes by half an hour, forward and back.
  'Australia/Lord_Howe': Date.UTC(2026, 9, 3, 4) * 1000,
  'Australia/LHI': Date.UTC(2026, 3, 4, 4) * 1000,
  UTC: Date.UTC(2026, 11, 31, 10) * 1000,
};
type Zone = keyof typeof begins;

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });
const length = fc.oneof(
  fc.integer({ min: 1, max: 11 }),
  fc.integer({ min: 1, max: 108 }),
  fc.integer({ min: 300, max: 480 }),
);
const range = fc
  .tuple(fc.integer({ min: 0, max: 480 }), length)
  .map(([from, cells]) => ({ from: from * 5 * MINUTE, to: (from + cells) * 5 * MINUTE }));
const value = fc.option(fc.integer({ min: -50, max: 50 }), { freq: 6 });
const offset = fc.record({ minute: fc.integer({ min: 0, max: 2_400 }), value });

/** Points that are so dense that their sums are kept in the mark, or few points. */
const offsets = fc.oneof(
  fc.array(offset, { maxLength: 80 }),
  fc
    .record({
      every: fc.integer({ min: 3, max: 10 }),
      values: fc.array(value, { minLength: 1, maxLength: 7 }),
    })
    .map(({ every, values }) =>
      Array.from({ length: 2_400 / every }, (_, k) => ({
        minute: k * every,
        value: values[k % values.length] ?? null,
      })),
    ),
);

/** Points of all series over the whole stretch, which are computed before anything changes. */
const base = fc.option(fc.array(offset, { minLength: 20, maxLength: 80 }), { freq: 3 });

/** Limits of a portion that a few marks reach. */
const limits = fc.constantFrom(undefined, undefined, { seedMarks: 1, mostMarks: 3, mostHours: 12 });

const step = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    ids,
    range,
    offsets,
  }),
  fc.record({
    kind: fc.constant('late' as const),
    id: fc.integer({ min: 1, max: 3 }),
    cell: fc.integer({ min: 0, max: 480 }),
    value,
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    id: fc.integer({ min: 1, max: 3 }),
    range,
    staysCovered: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('uncover' as const), ids, range }),
  fc.record({ kind: fc.constant('forget' as const) }),
  fc.record({
    kind: fc.constant('compute' as const),
    hours: fc.integer({ min: 0, max: 60 }),
    dies: fc.array(fc.boolean(), { maxLength: 5 }),
  }),
  fc.record({ kind: fc.constant('off' as const), range, ids, offsets: fc.array(offset, { maxLength: 20 }) }),
  fc.record({
    kind: fc.constant('zone' as const),
    zone: fc.constantFrom(...(Object.keys(begins) as Zone[])),
  }),
);

async function writeWindow(
  site: Site,
  origin: number,
  { ids: written, range: at, offsets }: { ids: number[]; range: Range; offsets: readonly Offset[] },
): Promise<void> {
  const window = { from: origin + at.from, to: origin + at.to };
  const inside = offsets.filter(({ minute }) => minute * MINUTE < window.to - window.from);
  const all = written.map((id) =>
    pointsOf(
      id,
      window.from,
      inside.filter((_, k) => (k + id) % 3 !== 0),
    ),
  );
  await site.write(window, all);
}

test('rollups are what the points and the coverage say, whatever happened before, and after kills', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(begins) as Zone[])),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.record({ base, limits }),
      async (firstZone, steps, { base: offsets, limits: taken }) => {
        await clear();
        const { db, ledger } = opened;
        const origin = begins[firstZone];
        let zone: Zone = firstZone;
        let due = 0;
        let site = openSite(zone, { limits: taken });
        await keepMarks(db, defaultSchemas, { isKept: true, zone });
        const untilOf = () => createZoneGrid(zone).hourAt(origin + due * HOUR).from;
        if (offsets !== null) {
          const range = { from: 0, to: 480 * 5 * MINUTE };
          await writeWindow(site, origin, { ids: [1, 2, 3], range, offsets });
          due = 36;
          await site.compute(untilOf());
          await site.expectRight(untilOf());
        }
        for (const each of steps) {
          if (each.kind === 'write') await writeWindow(site, origin, each);
          else if (each.kind === 'late') {
            const from = origin + each.cell * 5 * MINUTE;
            const point = pointsOf(each.id, from, [{ minute: 2, value: each.value }]);
            await site.write({ from, to: from + 5 * MINUTE }, [point]);
          } else if (each.kind === 'remove')
            await site.remove(
              each.id,
              { from: origin + each.range.from, to: origin + each.range.to },
              each.staysCovered,
            );
          else if (each.kind === 'uncover')
            await ledger.coverage.remove({
              ...{ ...history, seriesIds: each.ids },
              range: { from: origin + each.range.from, to: origin + each.range.to },
            });
          else if (each.kind === 'forget') await ledger.coverage.forget('history');
          else if (each.kind === 'zone') {
            zone = each.zone;
            site = openSite(zone, { limits: taken });
          } else if (each.kind === 'off') {
            await keepMarks(db, defaultSchemas, { isKept: false, zone });
            await writeWindow(openSite(zone, { keepsRollups: false }), origin, each);
            await keepMarks(db, defaultSchemas, { isKept: true, zone });
          } else {
            due = Math.max(due, each.hours);
            await site.compute(untilOf(), each.dies);
            await site.expectRight(untilOf());
          }
        }
        due = 80;
        await site.compute(untilOf());
        await site.expectRight(untilOf());
      },
    ),
    { numRuns: Number(process.env.ROLLUP_RUNS ?? 20) },
  );
});

/** Opens a site whose rollups are kept. `from` is the begin of its stretch. */
async function openKept(zone: Zone, limits?: PortionLimits) {
  await keepMarks(opened.db, defaultSchemas, { isKept: true, zone });
  return { site: openSite(zone, { limits }), from: begins[zone] };
}

// Four marks are fewer than there are, but as many as concern the same hour.
test.each([undefined, { seedMarks: 1, mostMarks: 4, mostHours: 50 }])(
  'points that are appended to hours without any are not read again, with limits %j',
  async (taken) => {
    const { db, ledger } = opened;
    const zone = 'Europe/Berlin';
    const { site, from } = await openKept(zone);
    for (const minute of [0, 100, 200]) {
      const window = { from: from + minute * MINUTE, to: from + (minute + 100) * MINUTE };
      const offsets = Array.from({ length: 100 }, (_, k) => ({ minute: k, value: k }));
      await site.write(window, [pointsOf(1, window.from, offsets)]);
    }
    const portions = new RollupPortions({
      ...{ db, schemas: defaultSchemas, tables, grid: createZoneGrid(zone), limits: taken },
      ...{ dueUntil: from + 5 * HOUR, keptSince: Number.NEGATIVE_INFINITY },
      readCoverage: (tx, seriesIds) => ledger.coverage.read({ ...history, seriesIds }, tx),
    });
    await portions.begin();
    const read: number[] = [];
    for (let did = await portions.takeMarks(); did !== undefined; did = await portions.takeMarks())
      read.push(did.points);
    expect(read).toEqual(read.map(() => 0));
    expect(read.length).toBe(taken === undefined ? 1 : 2);
    await site.expectRight(from + 5 * HOUR);
  },
);

test('a mark stays for those of its series whose marks are taken later', async () => {
  const { site, from } = await openKept('UTC', { seedMarks: 1, mostMarks: 200, mostHours: 50_000 });
  const window = { from, to: from + 2 * HOUR };
  const offsets = Array.from({ length: 20 }, (_, k) => ({ minute: k * 5, value: k }));
  await site.write({ from: from - HOUR, to: from }, [pointsOf(2, from - HOUR, offsets.slice(0, 9))]);
  await site.write(
    window,
    [1, 2, 3].map((id) => pointsOf(id, from, offsets)),
  );
  await site.compute(from + 3 * HOUR);
  await site.expectRight(from + 3 * HOUR);
});

test('marks around the series that are taken, but of others, do not hold these up', async () => {
  const { db, ledger } = opened;
  const zone = 'UTC';
  const { site, from } = await openKept(zone);
  const offsets = Array.from({ length: 10 }, (_, k) => ({ minute: k * 5, value: k }));
  const write = (ids: number[], hour: number) => {
    const at = from + hour * HOUR;
    return site.write(
      { from: at, to: at + HOUR },
      ids.map((id) => pointsOf(id, at, offsets)),
    );
  };
  await write([2], 9);
  for (const hour of [0, 1, 2]) await write([1, 3], hour);
  const portions = new RollupPortions({
    ...{ db, schemas: defaultSchemas, tables, grid: createZoneGrid(zone) },
    ...{ dueUntil: from + 10 * HOUR, keptSince: Number.NEGATIVE_INFINITY },
    limits: { seedMarks: 1, mostMarks: 2, mostHours: 50_000 },
    readCoverage: (tx, seriesIds) => ledger.coverage.read({ ...history, seriesIds }, tx),
  });
  await portions.begin();
  for (let k = 0; k < 20; k += 1) await portions.takeMarks();
  await site.expectRight(from + 10 * HOUR);
});

test('hours and days whose points are all gone have no rollup', async () => {
  const { site, from } = await openKept('UTC');
  const range = { from, to: from + 2 * HOUR };
  await site.write(range, [pointsOf(1, range.from, [{ minute: 90, value: 1 }])]);
  await site.compute(range.to);
  await site.remove(1, range, true);
  await site.compute(range.to);
  expect((await opened.db.query('select from plant.rollup_hourly')).rowCount).toBe(0);
  expect((await opened.db.query('select from plant.rollup_daily')).rowCount).toBe(0);
});

test('rollups of points that went while no change was marked are gone after that', async () => {
  const { db } = opened;
  const zone = 'UTC';
  const { site, from } = await openKept(zone);
  const hour = (k: number) => ({ from: from + k * HOUR, to: from + (k + 1) * HOUR });
  await site.write({ from, to: from + 3 * HOUR }, [
    pointsOf(
      1,
      from,
      [30, 90, 150].map((minute) => ({ minute, value: 1 })),
    ),
  ]);
  await site.write(hour(0), [pointsOf(2, from, [{ minute: 30, value: 1 }])]);
  await site.compute(from + 3 * HOUR);
  // The marks of the first removals are deleted, and the other removals have none.
  await site.remove(1, hour(0));
  await keepMarks(db, defaultSchemas, { isKept: false, zone });
  await site.remove(1, hour(2));
  await site.remove(2, hour(0));
  await keepMarks(db, defaultSchemas, { isKept: true, zone });
  await site.compute(from + 3 * HOUR);
  expect((await db.query('select series_id, bucket from plant.rollup_hourly')).rows).toEqual([
    { series_id: 1, bucket: from + HOUR },
  ]);
  await site.expectRight(from + 3 * HOUR);
});

test('rollups of points that are older than the kept ones stay as they are', async () => {
  const { db, ledger } = opened;
  const { site, from } = await openKept('UTC');
  const offsets = Array.from({ length: 8 }, (_, hour) => ({ minute: hour * 60 + 30, value: hour }));
  await site.write({ from, to: from + 8 * HOUR }, [pointsOf(1, from, offsets)]);
  await site.compute(from + 8 * HOUR);
  const rollups = async () =>
    (await db.query('select bucket, count, sum from plant.rollup_hourly order by bucket')).rows;
  const before = await rollups();
  expect(before.length).toBe(8);
  // Somebody drops old points, then a late point and a backlog concern all hours.
  await db.query(
    `delete from plant.samples where at < timestamptz 'epoch' + $1::bigint * interval '1 microsecond'`,
    [from + 4 * HOUR],
  );
  await site.write({ from, to: from + 8 * HOUR }, [pointsOf(1, from + 5 * HOUR, [{ minute: 10, value: 9 }])]);
  await ledger.coverage.forget('history');
  await site.compute(from + 8 * HOUR, [], from + 4 * HOUR);
  const changed = before.map((row) => (row.bucket === from + 5 * HOUR ? { ...row, count: 2, sum: 14 } : row));
  expect(await rollups()).toEqual(changed);
});

test('a change is behind for as long as it has waited since it was made and its hour was over', async () => {
  const { db } = opened;
  const { site, from } = await openKept('UTC');
  const progress = () => readRollupProgress(db, defaultSchemas, 4e15);
  expect(await progress()).toMatchObject({ waiting: 0, behindSec: 0 });
  await site.remove(1, { from, to: from + 2 * HOUR });
  await db.query(
    `update plantsync.rollup_marks set marked_at = now() - interval '3 hours', begins = now() + interval '1 minute',
       ends = now() + interval '1 day'`,
  );
  expect(await progress()).toMatchObject({ behindSec: 0 });
  // The hour counts, and not the time in it.
  const hourMs = 3_600_000;
  const endedMs = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  await db.query('update plantsync.rollup_marks set begins = $1', [new Date(endedMs - 60_000)]);
  const waitedSec = (Date.now() - endedMs) / 1000;
  expect(Math.abs((await progress()).behindSec - waitedSec)).toBeLessThan(60);
  await db.query(`update plantsync.rollup_marks set begins = now() - interval '5 days'`);
  const { behindSec } = await progress();
  expect(Math.floor(behindSec / 3600)).toBe(3);
  expect(describeBehind(await progress())).toEqual([
    expect.stringMatching(/^rollups are 3\.\d hours behind/),
  ]);
  // The part that is not due stays as old as it was.
  await site.compute(Date.now() * 1000 - HOUR);
  expect(Math.floor((await progress()).behindSec / 3600)).toBe(0);
  expect(
    await db.query("select now() - marked_at > interval '3 hours' as old from plantsync.rollup_marks"),
  ).toMatchObject({ rows: [{ old: true }] });
});
