import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvTimeReader } from '../../../src/simulator/recorded/csv-time.ts';

const inUtc = csvTimeReader('UTC');
const inNewYork = csvTimeReader('America/New_York');
const isoOf = (ms: number | undefined) => ms !== undefined && new Date(ms).toISOString();

describe('a time of a CSV file', () => {
  test.each([
    ['2024-05-01T08:00:00Z', '2024-05-01T08:00:00.000Z'],
    ['2024-05-01T08:00:00.250+02:00', '2024-05-01T06:00:00.250Z'],
    ['2016-07-01 00:00:00-07:00', '2016-07-01T07:00:00.000Z'],
    ['2024-05-01 08:00 -0730', '2024-05-01T15:30:00.000Z'],
    ['2024-05-01T08:00+08', '2024-05-01T00:00:00.000Z'],
    ['2013-12-02 21:15:00', '2013-12-02T21:15:00.000Z'],
    ['2013-12-02 21:15', '2013-12-02T21:15:00.000Z'],
    ['2013-12-02', '2013-12-02T00:00:00.000Z'],
    ['1/2/2022 0:05', '2022-01-02T00:05:00.000Z'],
    [' 12/31/2022 23:55:10 ', '2022-12-31T23:55:10.000Z'],
    ['1/2/2022', '2022-01-02T00:00:00.000Z'],
    ['2024-02-29 00:00', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(isoOf(inUtc(text))).toBe(expected);
  });

  test.each([
    '',
    'yesterday',
    '12.5',
    '2024-13-01 00:00',
    '2023-02-29 00:00',
    '31/12/2022 0:00',
    '2024-05-01 24:00',
    '2024-05-01 08:60',
    '2024-05-01T08:00:00+99:00',
    '2024-05-01 08:00:00 and more',
  ])('%j is none', (text) => {
    expect(inUtc(text)).toBeUndefined();
  });

  test('keeps microseconds', () => {
    expect(inUtc('2024-05-01 00:00:00.123456')).toBe(Date.UTC(2024, 4, 1) + 123.456);
  });

  test.each([
    ['2024-01-15 08:00', '2024-01-15T13:00:00.000Z'],
    ['7/15/2024 8:00', '2024-07-15T12:00:00.000Z'],
    // The clock repeats this hour. The first one counts.
    ['2024-11-03 01:30', '2024-11-03T05:30:00.000Z'],
    ['2024-11-03 02:00', '2024-11-03T07:00:00.000Z'],
    // The clock skips this hour. The time is as long after midnight as the text says.
    ['2024-03-10 02:30', '2024-03-10T07:30:00.000Z'],
    ['2024-03-10 03:00', '2024-03-10T07:00:00.000Z'],
    ['2024-07-15T08:00:00Z', '2024-07-15T08:00:00.000Z'],
  ])('%s without a zone is one of the zone asked for: %s', (text, expected) => {
    expect(isoOf(inNewYork(text))).toBe(expected);
  });

  test('is read as it was written', () => {
    const time = fc.date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2100-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(time, (date) => {
        const text = date.toISOString();
        expect(inUtc(text)).toBe(date.getTime());
        expect(inUtc(text.replace('T', ' ').replace('Z', ''))).toBe(date.getTime());
      }),
    );
  });
});
