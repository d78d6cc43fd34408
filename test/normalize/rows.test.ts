import { describe, expect, it } from 'vitest';
import { createRowNormalizer } from '../../src/normalize/rows.ts';
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
    { name: 'name', type: 'text', source: 'name', meaning: 'Key.' },
    { name: 'on', type: 'boolean', source: 'on', meaning: 'A flag.' },
    { name: 'size', type: 'bigint', source: 'size', meaning: 'A count.' },
    { name: 'made_at', type: 'timestamptz', source: 'madeTime', meaning: 'An instant.' },
    { name: 'labels', type: 'jsonb', source: 'labels', meaning: 'A list.' },
    { name: 'inner', type: 'text', source: 'outer.inner', meaning: 'A nested text.' },
  ],
});
const normalize = createRowNormalizer(stream, createInstantParser({ timezone: 'UTC' }));

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
    expect(normalize(deep)).toEqual({ reject: expect.stringContaining('nested deeper') });
  });

  it('take the key of their parent where the stream has one', () => {
    const child = createRowNormalizer(objectProperties, createInstantParser({}));
    const normalized = child({ name: 'temp', primitiveType: 'Double' }, { name: 'pump1' });
    expect('row' in normalized && normalized.row.slice(0, 2)).toEqual(['pump1', 'temp']);
  });
});
