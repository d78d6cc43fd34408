import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  intersect,
  overlay,
  type RangeSet,
  subtract,
  toRangeSet,
  unite,
  widthOf,
} from '../../src/series/range.ts';

const SIZE = 24;
const range = fc
  .tuple(fc.integer({ min: 0, max: SIZE }), fc.integer({ min: 0, max: SIZE }))
  .map(([from, to]) => ({ from, to }));
const rangeSet = fc.array(range, { maxLength: 6 }).map(toRangeSet);

/** Returns the model of a range set: for each whole instant, whether the set holds it. */
function instants(set: RangeSet): boolean[] {
  return Array.from({ length: SIZE }, (_, at) => set.some((r) => r.from <= at && at < r.to));
}

function expectNormal(set: RangeSet): void {
  for (const [index, r] of set.entries()) {
    expect(r.from).toBeLessThan(r.to);
    const before = set[index - 1];
    if (before !== undefined) expect(before.to).toBeLessThan(r.from);
  }
}

describe('range sets', () => {
  it('hold what any of the given ranges holds, joined and ascending', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
        const set = toRangeSet(ranges);
        expectNormal(set);
        expect(instants(set)).toEqual(instants(ranges.filter((r) => r.from < r.to)));
      }),
    );
  });

  it('unite, intersect and subtract like sets of instants', () => {
    fc.assert(
      fc.property(rangeSet, rangeSet, (a, b) => {
        const [inA, inB] = [instants(a), instants(b)];
        for (const set of [unite(a, b), intersect(a, b), subtract(a, b)]) expectNormal(set);
        expect(instants(unite(a, b))).toEqual(inA.map((x, i) => x || inB[i] === true));
        expect(instants(intersect(a, b))).toEqual(inA.map((x, i) => x && inB[i] === true));
        expect(instants(subtract(a, b))).toEqual(inA.map((x, i) => x && inB[i] !== true));
        expect(widthOf(a)).toBe(inA.filter(Boolean).length);
      }),
      { numRuns: 1000 },
    );
  });

  it('lie over each other in stretches of equal membership that together hold every instant once', () => {
    fc.assert(
      fc.property(fc.array(rangeSet, { minLength: 1, maxLength: 3 }), (sets) => {
        const stretches = overlay(sets);
        for (const [position, set] of sets.entries()) {
          const own = stretches.filter((s) => s.members.includes(position)).map((s) => s.range);
          expect(toRangeSet(own)).toEqual(set);
        }
        for (let k = 1; k < stretches.length; k += 1)
          expect(stretches[k]?.range.from).toBeGreaterThanOrEqual(stretches[k - 1]?.range.to ?? 0);
      }),
    );
  });
});
