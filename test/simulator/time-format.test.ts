import { expect, test } from 'vitest';
import { type TimeFormat, timeWriter, withTimes, zoneOffset } from '../../src/simulator/time-format.ts';

test('the offset of a zone follows its clock changes', () => {
  const offsetAt = zoneOffset('America/New_York');
  const hours = [
    '2024-11-03T05:59:59Z',
    '2024-11-03T06:00:00Z',
    '2024-03-10T06:59:59Z',
    '2024-03-10T07:00:00Z',
  ].map((time) => offsetAt(Date.parse(time)) / 3_600_000);
  expect(hours).toEqual([-4, -5, -5, -4]);
});

test.each([
  ['utc', -1, '"1969-12-31T23:59:59.999Z"'],
  ['utc', 0, '"1970-01-01T00:00:00Z"'],
  ['utc-millis', 0.001, '"1970-01-01T00:00:00.000001Z"'],
  ['offset', 1_730_613_600_000, '"2024-11-03T01:00:00.000-05:00"'],
  ['offset-no-colon', 1_730_613_599_000, '"2024-11-03T01:59:59.000-0400"'],
  ['zoneless', 1_730_613_600_000, '"2024-11-03 01:00:00"'],
] as [TimeFormat, number, string][])('%s writes %d as %s', (format, time, expected) => {
  expect(timeWriter(format, 'America/New_York')(time)).toBe(expected);
});

test('only the times of a record are written in another format', () => {
  const record = {
    name: '2024-01-01T00:00:00Z',
    createTime: '2024-01-01T00:00:00Z',
    ackTime: '',
    startTime: null,
  };
  expect(withTimes(record, 'epoch-s', 'UTC')).toEqual({ ...record, createTime: 1_704_067_200 });
  expect(withTimes(record, 'utc', 'UTC')).toBe(record);
});
