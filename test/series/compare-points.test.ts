import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PointComparison, rangesAround } from '../../src/series/compare-points.ts';
import type { SeriesPoints } from '../../src/series/types.ts';
import { seriesPoints } from '../support/influx/influx-points.ts';

/** A point that a store may hold at one time. */
const held = fc.record({
  value: fc.option(fc.constantFrom(0, 1, -0.5)),
  text: fc.option(fc.constantFrom('a', 'b')),
  quality: fc.constantFrom(null, 'mistyped' as const),
});
const pointsByTime = fc.dictionary(fc.nat(30).map(String), held, { maxKeys: 20 });
type Held = Record<string, { value: number | null; text: string | null; quality: 'mistyped' | null }>;

function toPoints(byTime: Held, times = Object.keys(byTime).map(Number)): SeriesPoints {
  const own = times.sort((a, b) => a - b);
  const at = (time: number) => byTime[String(time)] as Held[string];
  return {
    ...seriesPoints({}, []),
    times: own,
    values: own.map((time) => at(time).value),
    texts: own.map((time) => at(time).text),
    qualities: own.map((time) => at(time).quality),
  };
}

const isEqual = (a: Held[string] | undefined, b: Held[string] | undefined) =>
  JSON.stringify(a) === JSON.stringify(b);

describe('a comparison of points', () => {
  it('finds every time that is missing, extra or different, however what is stored is cut into parts', () => {
    fc.assert(
      fc.property(pointsByTime, pointsByTime, fc.integer({ min: 1, max: 7 }), (expected, stored, part) => {
        const comparison = new PointComparison(toPoints(expected));
        const times = toPoints(stored).times;
        for (let i = 0; i < times.length; i += part)
          comparison.push(toPoints(stored, times.slice(i, i + part)));
        const found = comparison.finish();
        const all = Array.from({ length: 31 }, (_, time) => time);
        const has = (side: Held, time: number) => side[String(time)] !== undefined;
        expect(found.missing).toEqual(all.filter((t) => has(expected, t) && !has(stored, t)));
        expect(found.extra).toEqual(all.filter((t) => !has(expected, t) && has(stored, t)));
        const both = all.filter((t) => has(expected, t) && has(stored, t));
        expect(found.different).toEqual(both.filter((t) => !isEqual(expected[String(t)], stored[String(t)])));
        const more = (t: number, field: 'value' | 'text') =>
          stored[String(t)]?.[field] !== null && expected[String(t)]?.[field] === null;
        expect(found.overfull).toEqual(both.filter((t) => more(t, 'value') || more(t, 'text')));
      }),
    );
  });

  it('keeps no more extra times than its budget, and counts the others', () => {
    const budget = { extra: 3 };
    const comparisons = [1, 2].map(() => new PointComparison(seriesPoints({}, []), budget));
    for (const comparison of comparisons)
      comparison.push(
        seriesPoints({}, [
          [1, 1],
          [2, 2],
        ]),
      );
    expect(comparisons.map((each) => each.finish())).toMatchObject([
      { extra: [1, 2], extraBeyond: 0 },
      { extra: [1], extraBeyond: 1 },
    ]);
  });
});

describe('ranges around times', () => {
  it('hold all of them and none of the others, and no range could be joined with the next', () => {
    const times = fc.uniqueArray(fc.nat(60), { maxLength: 40 });
    fc.assert(
      fc.property(times, times, (some, more) => {
        const wanted = some.sort((a, b) => a - b);
        const others = more.filter((time) => !some.includes(time)).sort((a, b) => a - b);
        const ranges = rangesAround(wanted, others);
        const isIn = (time: number) => ranges.some(({ from, to }) => time >= from && time < to);
        expect(wanted.filter((time) => !isIn(time))).toEqual([]);
        expect(others.filter(isIn)).toEqual([]);
        for (const [k, { from }] of ranges.slice(1).entries())
          expect(others.some((time) => time >= (ranges[k]?.to ?? 0) && time < from)).toBe(true);
      }),
    );
  });
});
