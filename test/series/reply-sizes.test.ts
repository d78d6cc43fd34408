import { describe, expect, it } from 'vitest';
import { firstLessons, Knowledge } from '../../src/series/reply-sizes.ts';

const DAY = 86_400;
const lessons = {
  ...firstLessons,
  proven: { rows: 900, seriesRows: 90, spanSec: DAY },
  seen: { rows: 1_000, seriesRows: 100 },
};

describe('knowledge of a platform', () => {
  it('trusts a reply up to the proven sizes and below the largest seen', () => {
    const knowledge = new Knowledge(lessons);
    expect(knowledge.trusts({ rows: 900, seriesRows: 90 }, DAY, 5_000)).toBe(true);
    expect(knowledge.trusts({ rows: 901, seriesRows: 90 }, DAY, 5_000)).toBe(false);
    expect(knowledge.trusts({ rows: 900, seriesRows: 91 }, DAY, 5_000)).toBe(false);
    expect(knowledge.trusts({ rows: 900, seriesRows: 90 }, DAY + 1, 5_000)).toBe(false);
    knowledge.noteProven({ rows: 1_000, seriesRows: 100 }, DAY);
    expect(knowledge.trusts({ rows: 1_000, seriesRows: 1 }, DAY, 5_000), 'as large as the largest seen').toBe(
      false,
    );
  });

  it('does not trust a reply that `limit` may have cut, in all or per series', () => {
    const knowledge = new Knowledge(lessons);
    expect(knowledge.trusts({ rows: 50, seriesRows: 5 }, DAY, 50)).toBe(false);
    expect(knowledge.trusts({ rows: 120, seriesRows: 50 }, DAY, 50)).toBe(false);
    expect(knowledge.trusts({ rows: 120, seriesRows: 49 }, DAY, 50)).toBe(true);
  });

  it('believes one row of a platform it knows nothing of, and no more', () => {
    const knowledge = new Knowledge();
    expect(knowledge.trusts({ rows: 1, seriesRows: 1 }, DAY, 5_000)).toBe(true);
    expect(knowledge.trusts({ rows: 2, seriesRows: 1 }, DAY, 5_000)).toBe(false);
  });

  it('learns a cap from the second cut at one size, and forgets it when more was proven', () => {
    const knowledge = new Knowledge();
    knowledge.noteCut({ rows: 500, seriesRows: 40 });
    knowledge.noteCut({ rows: 500, seriesRows: 50 });
    expect(knowledge.lessons.cap).toEqual({ rows: 500, seriesRows: undefined });
    knowledge.noteProven({ rows: 600, seriesRows: 10 }, 60);
    expect(knowledge.lessons.cap.rows).toBeUndefined();
  });
});
