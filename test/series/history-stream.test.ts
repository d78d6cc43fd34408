import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aggregateFunctions,
  aggregateStream,
  alignOutwards,
  parseHistoryStream,
  rawHistory,
} from '../../src/series/history-stream.ts';
import { divideTime, sampleSeconds } from '../../src/series/window.ts';

const aStep = fc.constantFrom(1, 10, 300, 3_600, 86_400);

describe('streams of history', () => {
  it('are known by their names again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 86_400 }),
        fc.constantFrom(...aggregateFunctions),
        (periodSec, fn) => {
          const stream = aggregateStream({ periodSec, fn });
          expect(parseHistoryStream(stream.name)).toEqual(stream);
        },
      ),
    );
    expect(parseHistoryStream('history')).toBe(rawHistory);
    for (const other of ['persons', 'history/300s', 'history/300s/median', 'history/0s/mean'])
      expect(parseHistoryStream(other)).toBeUndefined();
  });

  it('have ranges that begin and end with a bucket, also where a window is divided', () => {
    fc.assert(
      fc.property(
        aStep,
        fc.integer({ min: 0, max: 2e9 }),
        fc.integer({ min: 1, max: 1e6 }),
        (stepSec, at, width) => {
          const { from, to } = alignOutwards({ from: at * 1e6, to: (at + width) * 1e6 }, stepSec);
          expect(from).toBeLessThanOrEqual(at * 1e6);
          expect(to).toBeGreaterThanOrEqual((at + width) * 1e6);
          const series = [1, 2].map((id) => ({ id, object: 'o', property: `p${id}`, primitiveType: null }));
          const window = { series, fromSec: from / 1e6, toSec: to / 1e6, stepSec };
          const parts = [...(divideTime(window) ?? []), ...sampleSeconds(window)];
          for (const part of parts) {
            expect([part.fromSec % stepSec, part.toSec % stepSec]).toEqual([0, 0]);
            expect(part.fromSec).toBeLessThan(part.toSec);
            expect(part.fromSec).toBeGreaterThanOrEqual(window.fromSec);
            expect(part.toSec).toBeLessThanOrEqual(window.toSec);
          }
          expect(divideTime(window) === undefined).toBe(window.toSec - window.fromSec === stepSec);
        },
      ),
    );
  });
});
