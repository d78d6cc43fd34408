import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonBytes } from '../../src/simulator/runtime/json-bytes.ts';
import { timeWriter } from '../../src/simulator/time-format.ts';

/** What is written into an empty text, which has to grow on the way. */
function written(write: (bytes: JsonBytes) => void): string {
  const bytes = new JsonBytes(0);
  write(bytes);
  return bytes.finish().toString();
}

const decimals = fc
  .record({ units: fc.maxSafeInteger(), digits: fc.integer({ min: 0, max: 12 }) })
  .map(({ units, digits }) => Number(`${units}e-${digits}`));

test('numbers have the digits that JSON.stringify gives them', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    decimals,
    fc.integer(),
    fc.constantFrom(0, -0, 1e21, 1e-6, 1e-7, 9.5e-7, 0.1 + 0.2, 999_999_999_999.999, 5e-324),
  );
  fc.assert(
    fc.property(numbers, (number) => {
      expect(written((bytes) => bytes.number(number))).toBe(JSON.stringify(number));
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

test('times of one day and another are those of the general writer', () => {
  const general = timeWriter('utc', 'UTC');
  const times = fc.array(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }));
  const near = fc.array(fc.nat({ max: 3 * 86_400_000 }).map((ms) => 1_714_521_600_000 + ms));
  fc.assert(
    fc.property(fc.oneof(times, near), (list) => {
      const texts = list.map((time) => general(time));
      expect(
        written((bytes) => {
          for (const time of list) bytes.utc(time);
        }),
      ).toBe(texts.join(''));
    }),
    { examples: [[[-1000, 0, 999, 86_399_999, 86_400_000]]] },
  );
});
