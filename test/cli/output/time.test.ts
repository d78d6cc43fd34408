import { describe, expect, it } from 'vitest';
import { formatRange } from '../../../src/cli/output/time.ts';
import { parseRange, parseTime } from '../../../src/config/time-text.ts';
import { UsageError } from '../../../src/errors.ts';

const micros = (text: string) => Date.parse(text) * 1000;
const now = micros('2024-06-01T12:00:00Z');
const utc = { name: 'UTC', stated: false };
const shanghai = { name: 'Asia/Shanghai', stated: true };
const berlin = { name: 'Europe/Berlin', stated: true };
const read = (text: string, zone = utc) => parseTime(text, { option: '--from', zone, now });

describe('parseTime', () => {
  it.each([
    ['now', '2024-06-01T12:00:00Z'],
    ['-7d', '2024-05-25T12:00:00Z'],
    ['-90m', '2024-06-01T10:30:00Z'],
    ['2024-05-01', '2024-05-01T00:00:00Z'],
    ['2024-05-01T08:00:00Z', '2024-05-01T08:00:00Z'],
    ['2024-05-01T08:00+08:00', '2024-05-01T00:00:00Z'],
    ['2024-05-01T08:00:00.25+08:00', '2024-05-01T00:00:00.250Z'],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toBe(micros(expected));
  });

  it('takes a date as midnight in the zone, and a local time where a zone was stated', () => {
    expect(read('2024-05-01', shanghai)).toBe(micros('2024-04-30T16:00:00Z'));
    expect(read('2024-05-01 08:00', shanghai)).toBe(micros('2024-05-01T00:00:00Z'));
  });

  it('moves a local time that the clock change skips forward, and takes the first of a repeated one', () => {
    expect(read('2024-03-31T02:30', berlin)).toBe(micros('2024-03-31T01:30:00Z'));
    expect(read('2024-10-27T02:30', berlin)).toBe(micros('2024-10-27T00:30:00Z'));
  });

  it('refuses a local time while no zone was stated', () => {
    expect(() => read('2024-05-01T08:00:00')).toThrow(/--from 2024-05-01T08:00:00: has no zone.*--timezone/);
  });

  it.each(['2024-13-01', '2024-02-30', '2024-05-01T25:00:00Z', 'yesterday', '7d', '', '1714521600'])(
    'refuses %j, naming option and value',
    (text) => {
      expect(() => read(text)).toThrow(UsageError);
      expect(() => read(text)).toThrow(`--from ${text}: not a time`);
    },
  );

  it.each(['-999999999d', '0000-12-31', '+010000-01-01T00:00:00Z', '-271821-04-20T00:00:00Z'])(
    'refuses %j, which no store can write',
    (text) => {
      expect(() => read(text)).toThrow(`--from ${text}: is not in the years 1 to 9999`);
    },
  );
});

describe('parseRange', () => {
  const range = (from: string, to?: string) => parseRange({ from, to, zone: utc, now });

  it('ends now where the end is missing or in the future', () => {
    expect(range('2024-05-01').to).toBe(now);
    expect(range('2024-05-01', '2030-01-01').to).toBe(now);
    expect(range('2024-05-01', '2024-05-02').to).toBe(micros('2024-05-02T00:00:00Z'));
  });

  it('refuses a start that is not before the end, naming both', () => {
    expect(() => range('2024-05-02', '2024-05-01')).toThrow(
      /--from 2024-05-02: must be before --to 2024-05-01/,
    );
    expect(() => range('2024-05-01', '2024-05-01')).toThrow(/must be before/);
  });

  it('refuses a start in the future', () => {
    expect(() => range('2024-07-01')).toThrow(/--from 2024-07-01: is not in the past/);
    expect(() => range('2024-07-01', '2024-08-01')).toThrow(/not in the past/);
  });
});

describe('formatRange', () => {
  const range = { from: micros('2024-05-01T00:00:00Z'), to: micros('2024-05-01T01:00:00.5Z') };

  it('shows the range in UTC, and in the zone if it is another', () => {
    expect(formatRange(range, 'UTC')).toBe('2024-05-01T00:00:00Z … 2024-05-01T01:00:00.500Z');
    expect(formatRange(range, 'Asia/Shanghai')).toContain('2024-05-01T08:00:00+08:00');
  });
});
