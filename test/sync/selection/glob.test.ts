import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../src/sync/selection/glob.ts';

describe('compileGlob', () => {
  it.each([
    ['*', ['', 'a', 'a/b', '.a'], []],
    ['pump*', ['pump', 'pump1', 'pump/1/.x'], ['Pump1', 'apump']],
    ['*/temp', ['a/temp', 'a/b/temp'], ['temp', 'a/temp2']],
    ['pump?', ['pump1', 'pump/', 'pump泵', 'pump😀'], ['pump', 'pump12']],
    ['pump[1-3]', ['pump1', 'pump3'], ['pump4', 'pump', 'pump12']],
    ['pump[!1-3]', ['pump4', 'pumpx'], ['pump1', 'pump']],
    ['[]a]', [']', 'a'], ['b', '[]a]x']],
    ['{a,b}c', ['ac', 'bc'], ['abc', 'c']],
    ['{a,b{1,2}}', ['a', 'b1', 'b2'], ['b', 'b3']],
    ['p{1..12}', ['p1', 'p9', 'p12'], ['p0', 'p13', 'p']],
    ['p{01..12}', ['p01', 'p12'], ['p1', 'p13']],
    ['p{a..c}', ['pa', 'pc'], ['pd']],
    ['{a}', ['{a}'], ['a']],
    ['@(a|b)x', ['ax', 'bx'], ['x', 'abx']],
    ['?(a)x', ['x', 'ax'], ['aax']],
    ['*(ab)x', ['x', 'ababx'], ['abax']],
    ['+(ab)x', ['abx', 'ababx'], ['x']],
    ['!(a|b)', ['', 'c', 'ab', 'aa'], ['a', 'b']],
    ['pump!(1)*', ['pump', 'pump2', 'pump1', 'pump12'], ['pum']],
    ['!pump*', ['a', 'apump'], ['pump', 'pump1']],
    ['!!pump*', ['pump1'], ['a']],
    ['\\*a', ['*a'], ['xa']],
    ['a[', ['a['], ['a']],
    ['a{b', ['a{b'], ['ab']],
    ['@(a', ['@(a'], ['a']],
    ['a\\', ['a\\'], ['a']],
    ['泵*温?', ['泵1温度'], ['泵1温']],
  ])('%s', (pattern, taken, left) => {
    const matches = compileGlob(pattern);
    expect(taken.filter((name) => !matches(name))).toEqual([]);
    expect(left.filter((name) => matches(name))).toEqual([]);
  });

  it('matches what the usual matcher of globs matches', () => {
    // Slashes, dots, `[!a]` and groups are tried by name above, because the usual matcher has other rules for
    // them.
    const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', 'b{a,bb}a');
    const patterns = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    const names = fc.stringMatching(/^[abc]{1,8}$/);
    fc.assert(
      fc.property(patterns, names, (pattern, name) => {
        expect(compileGlob(pattern)(name)).toBe(picomatch(pattern, { bash: true, dot: true })(name));
      }),
      { numRuns: 2_000 },
    );
  });

  // Regular expressions take years for each of these patterns.
  it.each([
    ['*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(2_600)],
    ['{*a,*b}{*a,*b}{*a,*b}{*a,*b}{*a,*b}c', 'ab'.repeat(1_300)],
    ['+(a|aa)b', 'a'.repeat(2_600)],
    ['*(*(*(a)))b', 'a'.repeat(300)],
    ['+(+(+(+(a))))b', 'a'.repeat(300)],
    ['!(!(!(a)))b', 'a'.repeat(100)],
    ['('.repeat(20_000), 'a'],
    ['{a,'.repeat(20_000), 'a'],
    ['['.repeat(20_000), 'a'],
  ])('answers on a name that a pattern almost matches (row %#)', (pattern, name) => {
    expect(compileGlob(pattern)(name)).toBe(false);
  });
});
