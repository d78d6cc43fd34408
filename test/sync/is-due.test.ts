import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDue } from '../../src/sync/is-due.ts';

const DAY_MS = 86_400_000;

describe('isDue', () => {
  it('is true at every run of a schedule with exactly this distance, although runs come a little early', () => {
    expect(isDue({ ageMs: DAY_MS - 1, everyMs: DAY_MS, periodMs: DAY_MS })).toBe(true);
    expect(isDue({ ageMs: DAY_MS - 7_200_000, everyMs: DAY_MS, periodMs: DAY_MS })).toBe(true);
  });

  it('is exact where there is no next run', () => {
    expect(isDue({ ageMs: DAY_MS - 1, everyMs: DAY_MS, periodMs: 0 })).toBe(false);
    expect(isDue({ ageMs: DAY_MS, everyMs: DAY_MS, periodMs: 0 })).toBe(true);
  });

  it('is never true for what was just read', () => {
    expect(isDue({ ageMs: 60_000, everyMs: 3_600_000, periodMs: 30 * DAY_MS })).toBe(false);
  });

  it('does it once in as many runs as fit into the distance, whatever little the runs are off', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 120, maxLength: 120 }),
      (runsPerTurn, offsMs) => {
        const periodMs = 3_600_000;
        const everyMs = runsPerTurn * periodMs;
        let doneAt = offsMs[0] as number;
        const distances: number[] = [];
        let doneRun = 0;
        for (const [run, offMs] of offsMs.entries()) {
          const at = run * periodMs + offMs;
          if (run === 0 || !isDue({ ageMs: at - doneAt, everyMs, periodMs })) continue;
          distances.push(run - doneRun);
          [doneAt, doneRun] = [at, run];
        }
        expect(new Set(distances)).toEqual(new Set([runsPerTurn]));
      },
    );
    fc.assert(property);
  });
});
