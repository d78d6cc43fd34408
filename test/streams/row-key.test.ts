import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyText } from '../../src/streams/row-key.ts';

it('writes keys so that people can read them', () => {
  expect(keyText(['plant', 'assembly'])).toBe('plant/assembly');
  expect(keyText(['a/b', 'c/d'])).toBe('a~1b/c/d');
  expect(keyText(['a/b~'])).toBe('a/b~');
  expect(keyText(['pump1', null, 7])).toBe('pump1//7');
  expect(keyText([])).toBe('');
});

it('writes no two keys alike', () => {
  const text = fc
    .array(fc.constantFrom('a', '/', '~', '0', '1'), { maxLength: 4 })
    .map((all) => all.join(''));
  const key = fc.tuple(text, text, text);
  fc.assert(
    fc.property(key, key, (one, other) => {
      expect(keyText(one) === keyText(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2_000 },
  );
});
