import { describe, expect, it } from 'vitest';
import { createRowNormalizer } from '../../src/normalize/normalize-rows.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { defineStream } from '../../src/streams/define.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';

const stream = defineStream({
  name: 'things',
  about: 'Things for tests.',
  operation: 'listObjects',
  key: ['name'],
  ignore: ['noise'],
  columns: [
    { name: 'name', type: 'text', source: 'name', meaning: 'Key.', example: 'a' },
    { name: 'on', type: 'boolean', source: 'on', meaning: 'A flag.', example: 'true' },
    { name: 'size', type: 'bigint', source: 'size', meaning: 'A count.', example: '1' },
    {
      name: 'made_at',
      type: 'timestamptz',
      source: 'madeTime',
      meaning: 'An instant.',
      example: '2024-01-01T00:00:00Z',
    },
    { name: 'labels', type: 'jsonb', source: 'labels', meaning: 'A list.', example: '[]' },
    { name: 'inner', type: 'text', source: 'outer.inner', meaning: 'A nested text.', example: 'y' },
  ],
});
const parseInstant = createInstantParser({ timezone: 'UTC' });
const normalize = createRowNormalizer(stream, { parseInstant });

function rowOf(record: unknown): unknown {
  const normalized = normalize(record);
  return 'row' in normalized ? normalized.row : normalized.reject;
}

describe('rows', () => {
  it('hold the columns in their order, and unknown members in extra', () => {
    const record = {
      name: 'a',
      on: 'true',
      size: 9007199254740993n,
      madeTime: '2024-07-01T08:00:00+08:00',
      labels: ['x'],
      outer: { inner: 'y' },
      noise: 1,
      more: 2,
    };
    expect(rowOf(record)).toEqual([
      'a',
      true,
      9007199254740993n,
      Date.UTC(2024, 6, 1) * 1000,
      ['x'],
      'y',
      { more: 2 },
    ]);
  });

  it('hold null where the record has nothing', () => {
    expect(rowOf({ name: 'a' })).toEqual(['a', null, null, null, null, null, null]);
  });

  it('keep a value of another type in extra and name the column', () => {
    const normalized = normalize({
      name: 'a',
      on: 'perhaps',
      size: 1.5,
      madeTime: 'soon',
      outer: { inner: { deep: 1 } },
    });
    expect(normalized).toMatchObject({ retyped: ['on', 'size', 'made_at', 'inner'] });
    expect(rowOf({ name: 'a', on: 'perhaps' })).toEqual([
      'a',
      null,
      null,
      null,
      null,
      null,
      { on: 'perhaps' },
    ]);
  });

  it('keep what is beside the columns inside of a member, and what stands in place of it', () => {
    const extraOf = (record: unknown) => (rowOf(record) as unknown[])[6];
    expect(extraOf({ name: 'a', outer: { inner: 'y', more: 1 } })).toEqual({ outer: { more: 1 } });
    expect(extraOf({ name: 'a', outer: { inner: { deep: 1 }, more: 1 } })).toEqual({
      outer: { inner: { deep: 1 }, more: 1 },
    });
    expect(extraOf({ name: 'a', outer: 'y' })).toEqual({ outer: 'y' });
    expect(normalize({ name: 'a', outer: 'y' })).toMatchObject({ retyped: ['inner'] });
    expect(extraOf({ name: 'a', outer: null })).toBeNull();
  });

  it('keep what stands in place of an object even if the rest of the object is to be ignored', () => {
    const table = { ...stream, ignore: ['outer'] };
    const ignoring = createRowNormalizer(table, { parseInstant });
    expect(ignoring({ name: 'a', outer: { inner: 'y', more: 1 } })).toMatchObject({
      row: ['a', null, null, null, null, 'y', null],
    });
    expect(ignoring({ name: 'a', outer: 7 })).toMatchObject({
      row: ['a', null, null, null, null, null, { outer: 7 }],
      retyped: ['inner'],
    });
  });

  it.each([
    ['integer', 2_147_483_647, 2_147_483_647],
    ['integer', '-2147483648', -2_147_483_648],
    ['integer', 2_147_483_648, undefined],
    ['integer', 9_223_372_036_854_775_807n, undefined],
    ['integer', 1.5, undefined],
    ['bigint', 9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    ['bigint', 9_223_372_036_854_775_808n, undefined],
    ['double precision', '1e-5', 1e-5],
    ['double precision', '1e400', undefined],
    ['double precision', '0x1F', undefined],
    ['double precision', '12,5', undefined],
    ['double precision', '', undefined],
    ['boolean', '0', false],
    ['boolean', 'yes', undefined],
    ['text', 1.5, '1.5'],
    ['text', '1e400', '1e400'],
    ['text', '', ''],
    ['text', 9_007_199_254_740_993n, '9007199254740993'],
    ['text', ['a'], undefined],
  ] as const)('hold %s %o as %o', (type, value, expected) => {
    const columns = [
      { name: 'name', type: 'text', source: 'name', meaning: 'Key.', example: 'a' },
      { name: 'value', type, source: 'value', meaning: 'A value.', example: '1' },
    ] as const;
    const typed = createRowNormalizer({ key: ['name'], columns }, { parseInstant });
    expect(typed({ name: 'a', value })).toMatchObject(
      expected === undefined
        ? { row: ['a', null, { value }], retyped: ['value'] }
        : { row: ['a', expected, null], retyped: [] },
    );
  });

  it('end with the record as it came where that is kept', () => {
    const keeping = createRowNormalizer(
      { ...stream, map: (record) => ({ ...record, '#computed': 1, on: true }) },
      { parseInstant, keepRaw: true },
    );
    const record = { name: 'a', noise: 'n\0', more: [1] };
    const normalized = keeping(record);
    expect(normalized).toMatchObject({ replaced: ['raw'] });
    expect('row' in normalized && normalized.row.slice(6)).toEqual([
      { more: [1], '#computed': 1 },
      { name: 'a', noise: 'n\uFFFD', more: [1] },
    ]);
  });

  it('replace what Postgres cannot hold, deep inside too, and name the column', () => {
    const normalized = normalize({ name: 'a\0', labels: [{ 'k\0': '\ud83d' }] });
    expect(normalized).toMatchObject({ replaced: ['name', 'labels'] });
    expect(rowOf({ name: 'a\0', labels: [{ 'k\0': '\ud83d' }] })).toEqual([
      'a\uFFFD',
      null,
      null,
      null,
      [{ 'k\uFFFD': '\uFFFD' }],
      null,
      null,
    ]);
  });

  it.each([[null], ['text'], [[1]], [{}], [{ name: null }], [{ name: '' }], [{ name: { a: 1 } }]])(
    'are not made of %j',
    (record) => {
      expect(normalize(record)).toEqual({ reject: expect.stringMatching(/not an object|no usable name/) });
    },
  );

  it('are not made of a key that no index can hold, while other texts may have any length', () => {
    expect(normalize({ name: 'x'.repeat(2_601) })).toEqual({ reject: expect.stringContaining('2601 bytes') });
    expect(rowOf({ name: 'a', outer: { inner: 'x'.repeat(20_000) } })).toHaveLength(7);
  });

  it('keep a member called __proto__, and integers of any length', () => {
    const kept = rowOf(JSON.parse('{"name":"a","__proto__":{"x":1}}')) as unknown[];
    expect(JSON.stringify(kept.at(-1))).toBe('{"__proto__":{"x":1}}');
    const long = rowOf({ name: 'a', long: 10n ** 2_000n }) as { long: string }[];
    expect(long.at(-1)?.long).toBe(`1${'0'.repeat(2_000)}`);
  });

  it('are not made of an entry that is nested too deeply to be stored', () => {
    const deep = JSON.parse(`{"name":"a","x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`);
    expect(normalize(deep)).toEqual({ reject: expect.stringContaining('nested deeper'), key: ['a'] });
  });

  it('are refused without a key where the key is the trouble', () => {
    const deep = JSON.parse(`{"name":null,"x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`);
    expect(normalize(deep)).not.toHaveProperty('key');
    expect(normalize({ name: 'x'.repeat(2_601) })).not.toHaveProperty('key');
  });

  it('may have a member called parent', () => {
    const column = {
      name: 'parent',
      type: 'text',
      source: 'parent',
      meaning: 'A text.',
      example: 'a',
    } as const;
    const child = createRowNormalizer({ key: ['parent'], columns: [column] }, { parseInstant });
    expect(child({ parent: 'own' }, { '': 'none', parent: 'theirs' })).toMatchObject({ row: ['own', null] });
  });

  it('take the key of their parent where the stream has one', () => {
    const child = createRowNormalizer(objectProperties, { parseInstant: createInstantParser({}) });
    const normalized = child({ name: 'temp', primitiveType: 'Double' }, { name: 'pump1' });
    expect('row' in normalized && normalized.row.slice(0, 2)).toEqual(['pump1', 'temp']);
  });
});
