import { describe, expect, it } from 'vitest';
import { cutText, formatBrief, formatDuration } from '../../../src/cli/output/table.ts';

describe('formatDuration', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [420, '0.4 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [99_400, '99 s'],
    [99_600, '2 min'],
    [938_000, '16 min'],
    [90 * 60_000, '90 min'],
    [100 * 60_000, '2 h'],
    [47 * 3_600_000, '47 h'],
    [100_000_000 * 2, '2 d'],
    [5 * 86_400_000, '5 d'],
  ])('writes %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('short forms', () => {
  it('keep the size of a number and the begin of a text', () => {
    expect([0, 999, 1200, 2_000_000].map(formatBrief)).toEqual(['0', '999', '1.2K', '2M']);
    expect(cutText('a\n\tb', 5)).toBe('a b');
    expect(cutText('😀😀😀', 4)).toBe('😀…');
  });

  it('counts the columns of a terminal, and cuts no character in two', () => {
    expect(cutText('一号给水泵', 10)).toBe('一号给水泵');
    expect(cutText('一号给水泵', 9)).toBe('一号给水…');
    expect(cutText('一号给水泵', 8)).toBe('一号给…');
    expect(cutText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
    expect(cutText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  });
});
