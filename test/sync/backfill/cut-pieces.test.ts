import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregateStream, rawHistory } from '../../../src/series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../../src/series/range.ts';
import { cutPieces } from '../../../src/sync/backfill/cut-pieces.ts';

const seconds = 1e6;
const streams = [rawHistory, aggregateStream({ periodSec: 300, fn: 'mean' })];

const plans = fc.record({
  stream: fc.constantFrom(...streams),
  gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 1, max: 200 })), {
    minLength: 1,
    maxLength: 8,
  }),
  series: fc.integer({ min: 1, max: 100 }),
  rowsPerSeriesHour: fc.option(fc.double({ min: 1, max: 36_000, noNaN: true }), { nil: undefined }),
});

it('pieces hold all that is missing, none of it twice, in whole steps', () => {
  fc.assert(
    fc.property(plans, ({ stream, gaps, series, rowsPerSeriesHour }) => {
      const unit = stream.stepSec * seconds;
      const missing = toRangeSet(
        gaps.map(([from, width]) => ({ from: from * unit, to: (from + width) * unit })),
      );
      const batch = {
        series: Array.from({ length: series }, (_, id) => ({
          id,
          object: 'o',
          property: `p${id}`,
          primitiveType: null,
        })),
        missing,
        tag: { stream, stores: [], fresh: true },
        stepSec: stream.stepSec,
      };
      const pace =
        rowsPerSeriesHour === undefined
          ? undefined
          : { rowsPerSeriesHour, rowsPerRequest: 1, rowsPerSec: 1, rows: 1, at: 0 };
      const seen = new Map<number, RangeSet>();
      for (const piece of cutPieces([batch], {
        rateOf: () => pace,
        rowsPerRead: 1_000,
        force: false,
        work: 'w',
      })) {
        expect([piece.range.from % unit, piece.range.to % unit]).toEqual([0, 0]);
        expect(intersect(missing, [piece.range])).not.toEqual([]);
        for (const id of piece.seriesIds) {
          const before = seen.get(id) ?? [];
          expect(intersect(before, [piece.range])).toEqual([]);
          seen.set(id, unite(before, [piece.range]));
        }
      }
      expect(seen.size).toBe(series);
      for (const ranges of seen.values()) expect(subtract(missing, ranges)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

it.each([
  { hours: 1_000, rowsPerRead: 500, pieces: 100, width: 10 },
  { hours: 64, rowsPerRead: 500, pieces: 64, width: 1 },
  { hours: 64, rowsPerRead: 20_000, pieces: 32, width: 2 },
])(
  'pieces have their share of the points, but neither too many nor less than a request: %o',
  ({ hours, rowsPerRead, ...expected }) => {
    const batch = {
      series: [{ id: 1, object: 'o', property: 'p', primitiveType: null }],
      missing: [{ from: 0, to: hours * 3600 * seconds }],
      tag: { stream: rawHistory, stores: [], fresh: true },
    };
    const pace = { rowsPerSeriesHour: 10_000, rowsPerRequest: 1, rowsPerSec: 1, rows: 1, at: 0 };
    const pieces = [...cutPieces([batch], { rateOf: () => pace, rowsPerRead, force: true, work: 'w' })];
    expect(pieces).toHaveLength(expected.pieces);
    expect(pieces[0]).toEqual({
      stream: 'history',
      seriesIds: [1],
      range: { from: 0, to: expected.width * 3600 * seconds },
      force: true,
      work: 'w',
    });
  },
);

it('pieces of other series take turns, so that workers do not wait for each other', () => {
  const batch = {
    series: Array.from({ length: 64 }, (_, id) => ({
      id,
      object: 'o',
      property: `p${id}`,
      primitiveType: null,
    })),
    missing: [{ from: 0, to: 10 * 3600 * seconds }],
    tag: { stream: rawHistory, stores: [], fresh: true },
  };
  const pieces = [
    ...cutPieces([batch], { rateOf: () => undefined, rowsPerRead: 500, force: false, work: 'w' }),
  ];
  expect(pieces).toHaveLength(16 * 4);
  for (let k = 0; k + 16 <= pieces.length; k += 1)
    expect(new Set(pieces.slice(k, k + 16).flatMap(({ seriesIds }) => seriesIds)).size).toBe(64);
});
