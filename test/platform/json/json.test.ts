import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/platform/json/json.ts';

describe('parseJson', () => {
  it('keeps every digit of an integer beyond 2^53', () => {
    expect(parseJson('[9007199254740993, -9223372036854775808, 18446744073709551615]')).toEqual([
      9007199254740993n,
      -9223372036854775808n,
      18446744073709551615n,
    ]);
  });

  it('keeps safe integers and all decimals as numbers, also next to a long integer', () => {
    const text =
      '[9007199254740991, 1e21, 0.30000000000000004, 12345678901234567.5, 12345678901234567890, -0]';
    expect(parseJson(text)).toEqual([
      9007199254740991,
      1e21,
      0.30000000000000004,
      Number('12345678901234567.5'),
      12345678901234567890n,
      -0,
    ]);
  });

  it('keeps the digits of decimals beyond the doubles as texts, and all that is within them as numbers', () => {
    const beyond = ['1e400', '-1.5E+309', '1e0000000309', `${'9'.repeat(310)}.5`, `${'9'.repeat(250)}e99`];
    const within = [
      '1.5e308',
      '1e-400',
      '0e999',
      `0.${'0'.repeat(100)}1e400`,
      '1E+021',
      '12345678901234567e5',
    ];
    for (const text of beyond) expect(parseJson(text)).toBe(text);
    for (const text of within) expect(parseJson(text)).toBe(Number(text));
    const all = [...beyond, ...within].join(' , ');
    expect(parseJson(`{"a":[${all}],"b":{"1e400":"1e400 ,1e400"}}`)).toEqual({
      a: [...beyond, ...within.map(Number)],
      b: { '1e400': '1e400 ,1e400' },
    });
    for (const broken of ['01e400', '[1e400.5]', '[1e400', '1e400 1e400', '[--1e400]'])
      expect(() => parseJson(broken)).toThrow(SyntaxError);
  });

  it('leaves digits inside texts and member names alone', () => {
    const text = '{"12345678901234567890":"98765432109876543210 \\"11111111111111111111\\"","n":1}';
    expect(parseJson(text)).toEqual({
      '12345678901234567890': '98765432109876543210 "11111111111111111111"',
      n: 1,
    });
  });

  it('keeps long integers apart from texts that look like them, whatever characters they hold', () => {
    const text =
      '{"a":"\\u001f12345678901234567890","b":12345678901234567890,"c":"\\\\","__proto__":98765432109876543210}';
    expect(parseJson(text)).toEqual(
      Object.fromEntries([
        ['a', '\u001f12345678901234567890'],
        ['b', 12345678901234567890n],
        ['c', '\\'],
        ['__proto__', 98765432109876543210n],
      ]),
    );
  });

  it('reads bare NaN and Infinity as texts, and leaves those words inside texts alone', () => {
    expect(parseJson('[NaN,-NaN,Infinity , -Infinity,"NaN, \\"Infinity\\"",{"NaN":NaN}]')).toEqual([
      'NaN',
      'NaN',
      'Infinity',
      '-Infinity',
      'NaN, "Infinity"',
      { NaN: 'NaN' },
    ]);
  });

  it('reads bare NaN next to a long integer', () => {
    expect(parseJson('[NaN, 12345678901234567890]')).toEqual(['NaN', 12345678901234567890n]);
  });

  it('takes the last of equal member names, as JSON.parse does', () => {
    expect(parseJson('{"a":1,"a":12345678901234567890}')).toEqual({ a: 12345678901234567890n });
  });

  it.each(['', '<html>NaN</html>', '[1,2', '{"a":NaN', '[NaNs]', '[nan]', '{"a":"cut off NaN'])(
    'refuses what is no JSON: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('equals JSON.parse wherever no unsafe integer is involved', () => {
    const longButSafe = fc.integer({ min: 1_000_000_000_000_000, max: Number.MAX_SAFE_INTEGER });
    const value = fc.jsonValue().filter((candidate) => !/\d{16}/.test(JSON.stringify(candidate)));
    fc.assert(
      fc.property(value, longButSafe, fc.nat(4), (candidate, long, indent) => {
        const text = JSON.stringify(candidate, null, indent);
        expect(parseJson(text)).toEqual(JSON.parse(text));
        // Because of the long integer the whole text is read in the way for long integers.
        expect(parseJson(`[${text}, ${long}]`)).toEqual(JSON.parse(`[${text}, ${long}]`));
      }),
    );
  });

  it('reads back every bigint, text, decimal and bare number of a mixed array', () => {
    const item: fc.Arbitrary<{ json: string; value: unknown }> = fc.oneof(
      fc
        .oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\d "\\NaIfinty,:-]*$/))
        .map((value) => ({ json: JSON.stringify(value), value })),
      fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }).map((value) => ({ json: String(value), value })),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((value) => !Number.isInteger(value))
        .map((value) => ({ json: JSON.stringify(value), value })),
      fc.constantFrom('NaN', 'Infinity', '-Infinity').map((value) => ({ json: value, value })),
    );
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const text = `[${items.map(({ json }) => json).join(',')}]`;
        expect(parseJson(text)).toEqual(items.map(({ value }) => value));
      }),
      { numRuns: 500 },
    );
  });
});
