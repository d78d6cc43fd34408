import { describe, expect, it } from 'vitest';
import { jitteredBackoffMs, retryAfterMs } from '../src/backoff.ts';

describe('jitteredBackoffMs', () => {
  it('spreads from 0 to a bound that doubles up to a cap', () => {
    const waits = { firstMs: 500, longestMs: 20_000 };
    expect(jitteredBackoffMs(waits, 3, () => 0)).toBe(0);
    const bounds = [0, 1, 2, 3, 10, 100].map((attempt) => jitteredBackoffMs(waits, attempt, () => 1));
    expect(bounds).toEqual([500, 1000, 2000, 4000, 20_000, 20_000]);
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.parse('2024-05-01T10:00:00Z');
  it.each([
    ['3', 3000],
    [' 0 ', 0],
    ['Wed, 01 May 2024 10:00:07 GMT', 7000],
    ['Wed, 01 May 2024 09:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads %s', (header, expected) => {
    expect(retryAfterMs(header, nowMs)).toBe(expected);
  });
});
