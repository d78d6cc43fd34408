import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CoverageChange } from '../../src/ledger/coverage.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import type { Range } from '../../src/series/types.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const at = { store: 'postgres:a', stream: 'history' };

/** Times on a small grid around several dates, so that ranges meet, overlap and contain each other. */
const cells = 12;
const originUs = fc.constantFrom(0, -8_900_000_000_000_000, 1_730_000_000_123_456, 4_102_444_799_999_995);
const cellRange = fc
  .tuple(fc.integer({ min: 0, max: cells - 1 }), fc.integer({ min: 1, max: cells }))
  .map(([from, length]) => ({ from, to: Math.min(cells, from + length) }));

interface Step {
  readonly kind: 'add' | 'remove';
  readonly store: string;
  readonly seriesIds: number[];
  readonly range: Range;
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'add', 'remove'),
  store: fc.constantFrom('a', 'b'),
  seriesIds: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
  range: cellRange,
});

/** Returns the model of coverage: for each cell, whether the series is covered in the store. */
function coveredCells(steps: readonly Step[], store: string, id: number): boolean[] {
  const covered = new Array<boolean>(cells).fill(false);
  for (const { kind, range } of steps.filter((s) => s.store === store && s.seriesIds.includes(id)))
    covered.fill(kind === 'add', range.from, range.to);
  return covered;
}

function rangesOf(wanted: (cell: number) => boolean, origin: number): Range[] {
  const ranges: { from: number; to: number }[] = [];
  for (let cell = 0; cell < cells; cell += 1) {
    if (!wanted(cell)) continue;
    const last = ranges.at(-1);
    if (last?.to === origin + cell) last.to += 1;
    else ranges.push({ from: origin + cell, to: origin + cell + 1 });
  }
  return ranges;
}

test('coverage and gaps are what set arithmetic says, to the microsecond', async () => {
  const { coverage } = opened.ledger;
  const run = fc.record({
    origin: originUs,
    steps: fc.array(step, { maxLength: 12 }),
    wanted: fc.array(cellRange, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(run, async ({ origin, steps, wanted }) => {
      await coverage.forget('model');
      const shift = (range: Range) => ({ from: origin + range.from, to: origin + range.to });
      for (const { kind, store, seriesIds, range } of steps)
        await coverage[kind]({ store, stream: 'model', seriesIds, range: shift(range) });

      const seriesIds = [4, 3, 2, 1, 2];
      const groups = await coverage.readGaps({
        stream: 'model',
        stores: ['a', 'b'],
        seriesIds,
        wanted: wanted.map(shift),
      });
      const found = new Map(groups.flatMap((group) => group.seriesIds.map((id) => [id, group.gaps])));
      for (const id of [1, 2, 3, 4]) {
        const gaps = ['a', 'b'].map((store) => {
          const covered = coveredCells(steps, store, id);
          return rangesOf(
            (cell) => !covered[cell] && wanted.some((w) => cell >= w.from && cell < w.to),
            origin,
          );
        });
        expect(found.get(id)).toEqual(gaps.every((g) => g.length === 0) ? undefined : gaps);
        const read = await coverage.read({ store: 'a', stream: 'model', seriesIds: [id] });
        const covered = coveredCells(steps, 'a', id);
        expect(read.get(id) ?? []).toEqual(rangesOf((cell) => covered[cell] === true, origin));
      }
      expect(new Set(groups.map((group) => JSON.stringify(group.gaps))).size).toBe(groups.length);
    }),
    { numRuns: 60 },
  );
});

test('reading a range again does not shrink coverage, and writes nothing', async () => {
  const { coverage } = opened.ledger;
  const stamp = async () =>
    (await opened.db.query('select xmin::text, covered::text from plantsync.coverage where series_id = 77'))
      .rows;
  await coverage.add({ ...at, seriesIds: [77], range: { from: 0, to: 1000 } });
  const before = await stamp();
  await coverage.add({ ...at, seriesIds: [77], range: { from: 100, to: 200 } });
  expect(before).toHaveLength(1);
  expect(await stamp()).toEqual(before);
});

test('forgetting a stream forgets its aggregates and no stream of a similar name', async () => {
  const { coverage } = opened.ledger;
  const range = { from: 0, to: 1 };
  for (const stream of ['x_y', 'x_y/300s/mean', 'x_yz', 'xxy/300s'])
    await coverage.add({ store: 'a', stream, seriesIds: [1], range });
  expect(await coverage.forget('x_y')).toBe(2);
  expect((await coverage.read({ store: 'a', stream: 'x_yz', seriesIds: [1] })).get(1)).toEqual([range]);
  expect((await coverage.read({ store: 'a', stream: 'xxy/300s', seriesIds: [1] })).get(1)).toEqual([range]);
});

test('a stream is forgotten in one store only, if that is asked', async () => {
  const { coverage } = opened.ledger;
  const range = { from: 0, to: 1 };
  for (const store of ['b', 'a'])
    for (const stream of ['in_two', 'in_two/300s/mean'])
      await coverage.add({ store, stream, seriesIds: [1, 2], range });
  expect(await coverage.listStores('in_two')).toEqual(['a', 'b']);
  expect(await coverage.forget('in_two', 'a')).toBe(4);
  expect(await coverage.listStores('in_two')).toEqual(['b']);
});

test('writers of the same series in any order do not deadlock', async () => {
  const { db } = opened;
  const { coverage } = opened.ledger;
  const ids = Array.from({ length: 2000 }, (_, i) => i + 1000);
  const change = (n: number): CoverageChange => ({
    ...at,
    seriesIds: n % 2 === 0 ? ids : ids.toReversed(),
    range: { from: n * 10, to: n * 10 + 10 },
  });
  await Promise.all(
    // With one attempt only, a deadlock is an error.
    Array.from({ length: 8 }, (_, n) =>
      inTransaction(db, (tx) => (n === 7 ? coverage.remove(change(0), tx) : coverage.add(change(n), tx)), {
        attempts: 1,
      }),
    ),
  );
  const read = await coverage.read({ ...at, seriesIds: ids });
  expect(read.size).toBe(ids.length);
  for (const covered of read.values()) expect(covered.at(-1)?.to).toBe(70);
});

test('coverage that was noted in a transaction goes with it', async () => {
  const { db } = opened;
  const { coverage } = opened.ledger;
  const failing = inTransaction(db, async (tx) => {
    await coverage.add({ ...at, seriesIds: [5], range: { from: 0, to: 10 } }, tx);
    throw new Error('the rows failed');
  });
  await expect(failing).rejects.toThrow('the rows failed');
  expect(await coverage.read({ ...at, seriesIds: [5] })).toEqual(new Map());
});

test('a series without an entry lacks all that is wanted, in every store asked for', async () => {
  const wanted = [
    { from: 0, to: 10 },
    { from: 20, to: 30 },
  ];
  const groups = await opened.ledger.coverage.readGaps({
    stream: 'nothing',
    stores: ['a', 'b', 'c'],
    seriesIds: [9, 8],
    wanted,
  });
  expect(groups).toEqual([{ seriesIds: [8, 9], gaps: [wanted, wanted, wanted] }]);
});

test('the sum of gaps is what the gaps add up to, without the newest that the next run reads', async () => {
  const { coverage } = opened.ledger;
  const [from, to] = [1_714_521_600e6, 1_714_521_600e6 + 10 * 3_600e6];
  const hour = (k: number) => from + k * 3_600e6;
  const place = { store: 'sum:a', stream: 'sum' };
  await coverage.add({ ...place, seriesIds: [1, 2], range: { from, to: hour(4) } });
  await coverage.add({ ...place, seriesIds: [1], range: { from: hour(4), to: hour(9.9) } });
  await coverage.add({ ...place, seriesIds: [2], range: { from: hour(6), to } });
  const newest = { endUs: hour(9.99), widthUs: 600e6 };
  const question = { ...place, series: { ids: [1, 2, 3] }, wanted: { from, to }, newest };
  // Series 1 lacks the last six minutes, series 2 two hours, and series 3 everything.
  expect(await coverage.sumGaps(question)).toEqual({
    ...{ series: 2, hours: 12, oldest: from },
    newestFrom: hour(9.9),
  });
  const strict = { ...question, series: { ids: [1] }, newest: { ...newest, widthUs: 60e6 } };
  expect(await coverage.sumGaps(strict)).toMatchObject({ series: 1, hours: expect.closeTo(0.1, 6) });
  expect(await coverage.sumGaps({ ...question, series: { ids: [] } })).toEqual({
    series: 0,
    hours: 0,
    oldest: undefined,
  });
  await coverage.forgetStore('sum:a');
});
