import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { encodePoints, encodeRows } from '../../../src/load/copy/encode.ts';
import type { Quality, SeriesPoints } from '../../../src/series/types.ts';
import type { ColumnType, ColumnValue } from '../../../src/streams/define.ts';

function encode(type: ColumnType, values: readonly ColumnValue[]): Buffer {
  return Buffer.concat([
    ...encodeRows(
      [{ name: 'persons.it', type }],
      values.map((value) => [value]),
    ),
  ]);
}

/**
 * Returns the bytes of the only value: after the header, the number of fields and the length, and before the
 * trailer.
 */
function bytesOf(type: ColumnType, value: ColumnValue): string {
  return encode(type, [value])
    .subarray(19 + 2 + 4, -2)
    .toString('hex');
}

test('an empty source is a header and a trailer', () => {
  expect(encode('text', []).toString('hex')).toBe(`5047434f50590aff0d0a00${'00'.repeat(8)}ffff`);
});

test('integers are 64 or 32 bits, big-endian, negative ones in two’s complement', () => {
  expect(bytesOf('bigint', -1)).toBe('ffffffffffffffff');
  expect(bytesOf('bigint', 2 ** 53 - 1)).toBe('001fffffffffffff');
  expect(bytesOf('bigint', -(2 ** 40) - 1)).toBe('fffffeffffffffff');
  expect(bytesOf('bigint', 2n ** 63n - 1n)).toBe('7fffffffffffffff');
  expect(bytesOf('integer', -2)).toBe('fffffffe');
});

test('a time is microseconds since 2000', () => {
  expect(bytesOf('timestamptz', 946_684_800_000_001)).toBe('0000000000000001');
  expect(bytesOf('timestamptz', 946_684_799_999_999)).toBe('ffffffffffffffff');
});

test('a big integer inside a document keeps every digit', () => {
  expect(bytesOf('jsonb', { id: 9_007_199_254_740_993n })).toBe(
    `01${Buffer.from('{"id":9007199254740993}').toString('hex')}`,
  );
});

test('many rows come in several chunks that join to one stream', () => {
  const rows = Array.from({ length: 3000 }, (_, i) => [`${i}`.padEnd(300, 'é')]);
  const chunks = [...encodeRows([{ name: 'a', type: 'text' }], rows)];
  expect(chunks.length).toBeGreaterThan(2);
  const perRow = (row: string[]) => 2 + 4 + Buffer.byteLength(row.join());
  const bytes = rows.reduce((sum, row) => sum + perRow(row), 19 + 2);
  expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(bytes);
});

test('points are written as their rows are', () => {
  const columns: { name: string; type: ColumnType }[] = [
    { name: 'series_id', type: 'bigint' },
    { name: 'at', type: 'timestamptz' },
    { name: 'value', type: 'double precision' },
    { name: 'text', type: 'text' },
    { name: 'quality', type: 'text' },
  ];
  const point = fc.tuple(
    fc.maxSafeInteger(),
    fc.option(fc.double()),
    fc.option(fc.string({ unit: 'binary', maxLength: 100 })),
    fc.constantFrom<Quality>(null, 'null', 'replaced'),
  );
  const series = fc.tuple(fc.maxSafeNat(), fc.array(point, { maxLength: 300 }));
  fc.assert(
    fc.property(fc.array(series), (all) => {
      const points = all.map(([id, list]): SeriesPoints => {
        const [times, values, texts, qualities] = [0, 1, 2, 3].map((k) => list.map((each) => each[k]));
        const name = { object: 'o', property: 'p', primitiveType: null };
        return { series: { id, ...name }, times, values, texts, qualities } as SeriesPoints;
      });
      const rows = all.flatMap(([id, list]) => list.map((each) => [id, ...each]));
      expect(Buffer.concat([...encodePoints(points)])).toEqual(Buffer.concat([...encodeRows(columns, rows)]));
    }),
  );
});

const misfits: [ColumnType, ColumnValue][] = [
  ['text', 1],
  ['bigint', 1.5],
  ['bigint', 2n ** 63n],
  ['bigint', 2 ** 63],
  ['bigint', -(2 ** 63) - 2 ** 11],
  ['bigint', Number.NaN],
  ['bigint', '1'],
  ['integer', 2 ** 31],
  ['integer', 0.5],
  ['double precision', '1'],
  ['boolean', 1],
  ['timestamptz', '2024-01-01'],
  ['timestamptz', Number.POSITIVE_INFINITY],
];
test.each(misfits)('a %s column refuses %s and names itself', (type, value) => {
  expect(() => encode(type, [value])).toThrow(StoreError);
  expect(() => encode(type, [value])).toThrow('column persons.it:');
});
