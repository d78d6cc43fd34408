import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { createInstantParser, formatInstant } from '../../src/series/instant.ts';

const parse = createInstantParser({ timezone: 'Asia/Shanghai' });
const utc = Date.UTC(2024, 6, 1, 8, 0, 0) * 1000;

describe('the parser of platform times', () => {
  it.each([
    ['2024-07-01T08:00:00Z', utc],
    ['2024-07-01T16:00:00+08:00', utc],
    ['2024-07-01T16:00:00.000+0800', utc],
    ['2024-07-01T16:00:00+08', utc],
    ['2024-07-01T03:30:00-04:30', utc],
    ['2024-07-01T08:00:00.250Z', utc + 250_000],
    ['2024-07-01T08:00:00.1234567Z', utc + 123_456],
    ['2024-07-01 16:00:00', utc],
    ['2024-07-01T16:00', utc],
    [utc / 1e6, utc],
    [utc / 1e3, utc],
    [utc, utc],
    [String(utc / 1e3), utc],
    [BigInt(utc / 1e3), utc],
    [1_719_820_800.25, utc + 250_000],
  ])('reads %s', (text, micros) => {
    expect(parse(text)).toBe(micros);
  });

  it.each([
    '',
    'yesterday',
    '2024-13-01T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024-01-01T25:00:00Z',
    '2024-01-01T00:00:00X',
    '2024',
    null,
    true,
    {},
  ])('does not take %j for a time', (value) => {
    expect(parse(value)).toBeNaN();
  });

  it('resolves hours that a clock change skips or repeats as Temporal does, in every zone', () => {
    const zones = fc.constantFrom(
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
    );
    const local = fc.record({
      month: fc.constantFrom(1, 3, 4, 10, 11, 12),
      day: fc.integer({ min: 1, max: 31 }).filter((day) => day <= 30),
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      year: fc.integer({ min: 1990, max: 2035 }),
    });
    fc.assert(
      fc.property(zones, local, (zone, fields) => {
        const plain = Temporal.PlainDateTime.from({ ...fields, second: 7 });
        const expected =
          plain.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds * 1000;
        expect(createInstantParser({ timezone: zone })(plain.toString().replace('T', ' '))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('takes every time as local where the zone is overridden', () => {
    expect(createInstantParser({ zoneOverride: 'Asia/Shanghai' })('2024-07-01T16:00:00Z')).toBe(utc);
  });

  it('refuses times without an offset while no zone is set, and says which setting is missing', () => {
    expect(() => createInstantParser({})('2024-07-01 16:00:00')).toThrow(/platform\.timezone/);
  });

  it('reads back what is formatted, to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2e15, max: 4e15 }), (micros) => {
        expect(parse(formatInstant(micros))).toBe(micros);
      }),
    );
  });
});
