import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonBytes } from '../../src/simulator/runtime/json-bytes.ts';
import { timeWriter } from '../../src/simulator/time-format.ts';

/** Returns the text that was written into an empty `JsonBytes`, which has to grow meanwhile. */
function written(write: (bytes: JsonBytes) => void): string {
  const bytes = new JsonBytes(0);
  write(bytes);
  return bytes.finish().toString();
}

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
