import { describe, expect, it } from 'vitest';
import { FIRST_SIZES, ReplySizes } from '../../src/series/reply-sizes.ts';

const DAY = 86_400;
const lessons = {
  ...FIRST_SIZES,
  proven: { rows: 900, seriesRows: 90, spanSec: DAY },
  seen: { rows: 1_000, seriesRows: 100 },
};

describe('knowledge of a platform', () => {
  it('trusts a reply up to the proven sizes and below the largest seen', () => {
    const replySizes = new ReplySizes(lessons);
    expect(replySizes.trusts({ rows: 900, seriesRows: 90 }, DAY, 5_000)).toBe(true);
    expect(replySizes.trusts({ rows: 901, seriesRows: 90 }, DAY, 5_000)).toBe(false);
    expect(replySizes.trusts({ rows: 900, seriesRows: 91 }, DAY, 5_000)).toBe(false);
    expect(replySizes.trusts({ rows: 900, seriesRows: 90 }, DAY + 1, 5_000)).toBe(false);
    replySizes.noteProven({ rows: 1_000, seriesRows: 100 }, DAY);
    expect(
      replySizes.trusts({ rows: 1_000, seriesRows: 1 }, DAY, 5_000),
      'as large as the largest seen',
    ).toBe(false);
  });

  it('does not trust a reply that `limit` may have cut, in all or per series', () => {
    const replySizes = new ReplySizes(lessons);
    expect(replySizes.trusts({ rows: 50, seriesRows: 5 }, DAY, 50)).toBe(false);
    expect(replySizes.trusts({ rows: 120, seriesRows: 50 }, DAY, 50)).toBe(false);
    expect(replySizes.trusts({ rows: 120, seriesRows: 49 }, DAY, 50)).toBe(true);
  });

  it('believes one row of a platform it knows nothing of, and no more', () => {
    const replySizes = new ReplySizes();
    expect(replySizes.trusts({ rows: 1, seriesRows: 1 }, DAY, 5_000)).toBe(true);
    expect(replySizes.trusts({ rows: 2, seriesRows: 1 }, DAY, 5_000)).toBe(false);
  });

  it('learns a cap from the second cut at one size, and forgets it when more was proven', () => {
    const replySizes = new ReplySizes();
    replySizes.noteCut({ rows: 500, seriesRows: 40 });
    replySizes.noteCut({ rows: 500, seriesRows: 50 });
    expect(replySizes.learned.cap).toEqual({ rows: 500, seriesRows: undefined });
    replySizes.noteProven({ rows: 600, seriesRows: 10 }, 60);
    expect(replySizes.learned.cap.rows).toBeUndefined();
  });
});
