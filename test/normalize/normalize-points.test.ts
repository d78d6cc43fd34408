import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTyper, normalizePoints } from '../../src/normalize/normalize-points.ts';

const series = { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' };

describe('typed values', () => {
  it.each([
    ['Double', 12.5, { value: 12.5 }],
    ['Double', '12.5', { value: 12.5 }],
    ['Double', '1e-5', { value: 0.00001 }],
    ['Double', '-.5', { value: -0.5 }],
    ['Double', '12,5', { text: '12,5', quality: 'mistyped' }],
    ['Double', '0x1F', { text: '0x1F', quality: 'mistyped' }],
    ['Double', '', { text: '', quality: 'mistyped' }],
    ['Double', ' 1', { text: ' 1', quality: 'mistyped' }],
    ['Double', 'ON', { text: 'ON', quality: 'mistyped' }],
    ['Double', '1e400', { text: '1e400', quality: 'mistyped' }],
    ['Double', `-${'9'.repeat(400)}`, { text: `-${'9'.repeat(400)}`, quality: 'mistyped' }],
    ['Double', true, { text: 'true', quality: 'mistyped' }],
    ['Double', null, { quality: 'null' }],
    ['Double', 'NaN', { quality: 'nan' }],
    ['Double', Number.NaN, { quality: 'nan' }],
    ['Double', 'Infinity', { quality: 'infinity' }],
    ['Double', '-Infinity', { quality: 'infinity' }],
    ['Long', 9007199254740993n, { value: 9007199254740992, text: '9007199254740993' }],
    ['Long', '9007199254740993', { value: 9007199254740992, text: '9007199254740993' }],
    ['Long', '42', { value: 42 }],
    ['Integer', 12.5, { value: 12.5 }],
    ['Boolean', true, { value: 1 }],
    ['Boolean', false, { value: 0 }],
    ['Boolean', 'true', { text: 'true', quality: 'mistyped' }],
    ['String', 'running', { text: 'running' }],
    ['String', 5, { text: '5', quality: 'mistyped' }],
    ['String', 'a\0b', { text: 'a\uFFFDb', quality: 'replaced' }],
    ['DateTime', '2024-05-01T00:00:00Z', { text: '2024-05-01T00:00:00Z' }],
    ['Object', { a: [1, 9007199254740993n] }, { text: '{"a":[1,9007199254740993]}' }],
    [null, 3, { value: 3 }],
    [null, '3', { text: '3' }],
    [null, '1e400', { text: '1e400' }],
    [null, 9007199254740993n, { value: 9007199254740992, text: '9007199254740993' }],
  ])('of a property declared %s follow the table (row %#)', (primitiveType, value, expected) => {
    expect(createTyper(primitiveType)(value)).toEqual({
      value: null,
      text: null,
      quality: null,
      ...expected,
    });
  });

  it('keep every digit of any integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        for (const sent of [integer, String(integer)]) {
          const { value, text } = createTyper('Long')(sent);
          expect(BigInt(text ?? (value as number))).toBe(integer);
          expect(value).toBe(Number(integer));
        }
      }),
    );
  });
});

describe('points of a series', () => {
  it('are ascending and unique in time, and of equal times the last received wins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }), async (times) => {
        const { points, collisions } = await normalizePoints(series, {
          times,
          values: times.map((_, k) => k),
        });
        const last = new Map(times.map((time, k) => [time, k]));
        expect(points.times).toEqual([...last.keys()].sort((a, b) => a - b));
        expect(points.values).toEqual(points.times.map((time) => last.get(time)));
        expect(collisions).toBe(times.length - last.size);
      }),
    );
  });

  it.each([
    ['sorted', (k: number) => k],
    ['newest first', (k: number) => -k],
    ['in two sorted parts', (k: number) => (k % 2 === 0 ? k : 30_000 - k)],
    ['in no order', (k: number) => (k * 7_919) % 10_007],
  ])('are put in order by many rows, %s', async (_, timeOf) => {
    const times = Array.from({ length: 30_000 }, (_, k) => timeOf(k));
    const values = times.map((_, k) => (k % 5 === 0 ? undefined : k % 2 === 0 ? k : `t${k}`));
    const { points } = await normalizePoints(series, { times, values });
    const last = new Map(times.flatMap((time, k) => (values[k] === undefined ? [] : [[time, values[k]]])));
    expect(points.times).toEqual([...last.keys()].sort((a, b) => Number(a) - Number(b)));
    expect(points.values.map((value, k) => points.texts[k] ?? value)).toEqual(
      points.times.map((time) => last.get(time)),
    );
  });
});
