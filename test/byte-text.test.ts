import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteText } from '../src/byte-text.ts';

/** Returns the text that was written into an empty `ByteText`, which has to grow meanwhile. */
function written(write: (bytes: ByteText) => void): string {
  const bytes = new ByteText(0);
  write(bytes);
  return bytes.finish().toString();
}

const decimals = fc
  .record({ units: fc.maxSafeInteger(), digits: fc.integer({ min: 0, max: 12 }) })
  .map(({ units, digits }) => Number(`${units}e-${digits}`));

test('numbers have the digits that String gives them', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    decimals,
    fc.integer(),
    fc.constantFrom(0, -0, 1e21, 1e-6, 1e-7, 9.5e-7, 0.1 + 0.2, 999_999_999_999.999, 5e-324),
  );
  fc.assert(
    fc.property(numbers, (number) => {
      expect(written((bytes) => bytes.number(number))).toBe(String(number));
    }),
    { numRuns: 5000 },
  );
});

test('integers keep every digit, whatever their size', () => {
  const integers = fc.oneof(fc.bigInt(), fc.bigInt({ min: 0n, max: 2n ** 57n }), fc.bigInt({ max: 10n }));
  fc.assert(
    fc.property(integers, (integer) => {
      expect(written((bytes) => bytes.integer(integer))).toBe(`${integer}`);
    }),
    { numRuns: 3000, examples: [[2n ** 56n], [2n ** 56n - 1n], [10n ** 9n], [2n ** 64n], [0n]] },
  );
});

test('texts of all characters are in UTF-8', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 100 })), (texts) => {
      const whole = written((bytes) => {
        for (const text of texts) bytes.text(text);
      });
      expect(whole).toBe(texts.map((text) => Buffer.from(text).toString()).join(''));
    }),
    { examples: [[['a'.repeat(47), 'é', 'a'.repeat(49), '\ud83d', '😀']]] },
  );
});

test('safe integers are whole', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (integer) => {
      expect(written((bytes) => bytes.whole(integer))).toBe(String(integer));
    }),
    {
      numRuns: 3000,
      examples: [[0], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER], [2 ** 31], [-10]],
    },
  );
});
