import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaks } from '../../../src/breaks.ts';
import { parseJson } from '../../../src/platform/json/json.ts';
import { parseLargeJson } from '../../../src/platform/json/large-json.ts';

/** Returns the value of a text, or that the text is no JSON. */
function outcomeOf(read: () => unknown): { value: unknown } | 'no JSON' {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    throw error;
  }
}

async function readInPieces(text: string, pieceBytes: number): Promise<ReturnType<typeof outcomeOf>> {
  try {
    return { value: await parseLargeJson(Buffer.from(text), new Breaks(), pieceBytes) };
  } catch (error) {
    return outcomeOf(() => {
      throw error;
    });
  }
}

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('[1,2]', '{"a":1}', '"', '\\', '\\"', '},{', '\u001f1234567890123456789'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '7', 'a"b')), tie('value'), {
      maxKeys: 6,
    }),
  ),
})).value;

const spaces = fc.constantFrom(undefined, 1, '\t', '  \r\n');
const texts = fc
  .tuple(values, spaces, fc.constantFrom('', ' ', '\n'))
  .map(([value, space, around]) => `${around}${JSON.stringify(value, null, space)}${around}`);
const pieces = fc.integer({ min: 1, max: 60 });

describe('parseLargeJson', () => {
  it('reads what parseJson reads, wherever the pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(texts, pieces, async (text, pieceBytes) => {
        const expected = outcomeOf(() => parseJson(Buffer.from(text).toString()));
        expect(await readInPieces(text, pieceBytes)).toStrictEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses what parseJson refuses, wherever a text is broken', async () => {
    const broken = fc
      .tuple(
        texts,
        fc.nat(),
        fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '\\', '1', ' ', 'NaN'),
        fc.nat(3),
      )
      .map(([text, at, inserted, removed]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted + text.slice(place + removed);
      });
    await fc.assert(
      fc.asyncProperty(broken, pieces, async (text, pieceBytes) => {
        const expected = outcomeOf(() => parseJson(Buffer.from(text).toString()));
        expect(await readInPieces(text, pieceBytes)).toStrictEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['[1,,2]'],
    ['[1,2,]'],
    ['[,1]'],
    ['{"a":1,}'],
    ['{"a":[1,2],,"b":2}'],
    ['{"a":[1,2] "b":2}'],
    ['[[1,2] [3]]'],
    ['{[1,2]}'],
    ['[1,2],[3]'],
    ['[1,2]3'],
    ['["a":[1,2]]'],
    ['[1,2'],
    ['[1,2}'],
    ['{"a":[1,"2]}'],
    [''],
  ])('refuses %s', async (text) => {
    expect(await readInPieces(text, 1)).toBe('no JSON');
  });

  it('keeps long integers and bare NaN in any piece', async () => {
    const text = '{"list":[9007199254740993,NaN,{"a":[-Infinity,12345678901234567890]}],"b":NaN}';
    const expected = {
      list: [9007199254740993n, 'NaN', { a: ['-Infinity', 12345678901234567890n] }],
      b: 'NaN',
    };
    for (const pieceBytes of [1, 10, 40])
      expect(await readInPieces(text, pieceBytes)).toEqual({ value: expected });
  });

  it('reads a value that is nested deeply', async () => {
    const depth = 8_000;
    const text = `{"list":[1,2,${'['.repeat(depth)}${']'.repeat(depth)},3]}`;
    const outcome = await readInPieces(text, 1);
    expect(outcome).toMatchObject({ value: { list: { length: 4, 1: 2, 3: 3 } } });
  });

  it.each([
    ['more lists than its size allows', `[${'[],'.repeat(1_000_000)}[]]`],
    ['a large value nested deeply', `[1,${'['.repeat(50_000)}${']'.repeat(50_000)}]`],
    ['a text of many megabytes', `{"list":["${'x'.repeat(9 * 1024 * 1024)}"]}`],
    ['nothing but a large text', `"${'x'.repeat(9 * 1024 * 1024)}"`],
  ])('refuses %s', async (_, text) => {
    expect(await readInPieces(text, 128 * 1024)).toBe('no JSON');
  });
});
