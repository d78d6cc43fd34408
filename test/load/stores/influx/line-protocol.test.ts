import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLineEncoder,
  decodeTag,
  encodeFields,
  encodeTag,
} from '../../../../src/load/stores/influx/line-protocol.ts';

const seriesOf = (object: string, property: string, id = 1) => ({
  id,
  object,
  property,
  primitiveType: 'Double',
});

/** Names made mostly of special characters, so that collisions would be found. */
const awkwardName = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\\', '\n', '\r', '\t', '␛', ',', '=', ' ', '5', 'C', '0', 'A', '"', '%', '\u0000'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});

describe('encodeTag', () => {
  it.each([
    ['POA [W/m²]', 'POA [W/m²]'],
    ['温度 1', '温度 1'],
    ['Load 50 %', 'Load 50 %'],
    ['area\\pump', 'area\\pump'],
    ['Pump 1,A=B\\', 'Pump 1,A=B␛5C'],
    ['a\\,b', 'a␛5C,b'],
    ['two\nlines', 'two␛0Alines'],
    ['a␛5C', 'a␛␛5C'],
  ])('stores %j as %j', (name, tag) => {
    expect(encodeTag(name)).toBe(tag);
    expect(decodeTag(tag)).toBe(name);
  });

  it('gives every name back', () => {
    fc.assert(
      fc.property(awkwardName, (name) => {
        expect(decodeTag(encodeTag(name))).toBe(name);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never makes one tag of two names', () => {
    fc.assert(
      fc.property(awkwardName, awkwardName, (one, other) => {
        expect(encodeTag(one) === encodeTag(other)).toBe(one === other);
      }),
      { numRuns: 5_000 },
    );
  });

  it('leaves nothing that a parser could read in two ways', () => {
    fc.assert(
      fc.property(awkwardName, (name) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone
        expect(encodeTag(name)).not.toMatch(/[\u0000-\u001f]|\\[\\,= ]|\\$/);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('createLineEncoder', () => {
  it('sorts and escapes measurement, tags and constants, and leaves empty constants out', () => {
    const encoder = createLineEncoder('run time,1', { site: 'Wien 3', area: 'a=b', line: '' });
    const { bytes, refused } = encoder.keyOf(seriesOf('Pump 1,A', 'p=q'));
    expect(Buffer.from(bytes).toString()).toBe(
      'run\\ time\\,1,area=a\\=b,object=Pump\\ 1\\,A,property=p\\=q,site=Wien\\ 3',
    );
    expect(refused).toBeUndefined();
  });

  it('makes the key of a series once', () => {
    const encoder = createLineEncoder('runtime');
    const series = seriesOf('pump', 'temp');
    expect(encoder.keyOf(series)).toBe(encoder.keyOf(series));
  });

  it('refuses a series without a name, or whose names InfluxDB cannot hold', () => {
    const encoder = createLineEncoder('runtime');
    expect(encoder.keyOf(seriesOf('', 'temp', 1)).refused).toMatch('no name');
    expect(encoder.keyOf(seriesOf('pump', '', 2)).refused).toMatch('no name');
    expect(encoder.keyOf(seriesOf('温'.repeat(22_000), 'temp', 3)).refused).toMatch('66029 bytes');
    expect(encoder.keyOf(seriesOf('温'.repeat(21_000), 'temp', 4)).refused).toBeUndefined();
  });
});

describe('encodeFields', () => {
  it.each([
    [1, null, 'value=1'],
    [1.5, null, 'value=1.5'],
    [-1e-7, null, 'value=-1e-7'],
    [1e21, null, 'value=1e+21'],
    [2 ** 53, '9007199254740993', 'value=9007199254740992,text="9007199254740993"'],
    [null, 'He said "stop"\nline 2\\', 'text="He said \\"stop\\"\nline 2\\\\"'],
    [null, '', 'text=""'],
    [Number.NaN, 'n/a', 'text="n/a"'],
    [null, null, ''],
    [Number.NaN, null, ''],
    [Number.POSITIVE_INFINITY, null, ''],
  ])('writes value %s and text %j as %s', (value, text, fields) => {
    expect(encodeFields(value, text)).toBe(fields);
  });
});
