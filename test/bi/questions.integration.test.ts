import { beforeAll, expect, test } from 'vitest';
import { readQuestions } from '../../src/bi/questions.ts';
import { askAtNow, fillAskedPlant, STORE } from './asked-plant.ts';
import { useMadePlant } from './made-plant.ts';

type Row = Readonly<Record<string, unknown>>;

const openPlant = useMadePlant();
/** The answers by the title of the question. They are asked once for all tests. */
const answers = new Map<string, readonly Row[]>();
const answered = new Set<string>();

beforeAll(async () => {
  const plant = await openPlant();
  await fillAskedPlant(plant);
  for (const { title, sql } of readQuestions()) answers.set(title, await askAtNow(plant, sql));
});

function answerTo(title: string): readonly Row[] {
  answered.add(title);
  return answers.get(title) ?? [];
}

/** Returns the values of some columns as lists. */
const valuesOf = (rows: readonly Row[], ...columns: string[]) =>
  rows.map((row) => columns.map((column) => row[column]));

test('each hour of a week has a row: two of one name at the change of the clock, nulls in a gap', () => {
  const rows = answerTo('Hourly course of a property');
  const of = (day: string) => rows.filter(({ local_bucket }) => String(local_bucket).startsWith(day));
  expect([of('2025-10-24'), of('2025-10-26')].map((hours) => hours.length)).toEqual([24, 25]);
  expect(of('2025-10-26T02')).toHaveLength(2);
  const isInGap = ({ local_bucket }: Row) => /25T1[234]/.test(String(local_bucket));
  expect(valuesOf(rows.filter(isInGap), 'mean', 'min', 'max', 'share')).toEqual(
    Array.from({ length: 3 }, () => [null, null, null, 0]),
  );
  const known = rows.filter((row) => !isInGap(row));
  expect(known).toHaveLength(169 - 3);
  for (const { mean, min, max, share } of known) expect([mean, min, max, share]).toEqual([35, 10, 60, 1]);
});

test('a shift over the change of the clock has nine hours, and a gap is a time of no state', () => {
  const rows = answerTo('Time in each state by shift');
  const of = (day: string, shift: string) =>
    valuesOf(
      rows.filter((row) => row.day === day && row.shift === shift),
      'state',
      'hours',
    );
  expect(of('2025-10-25', 'night')).toEqual([
    ['fault', 4.5],
    ['idle', 2.5],
    ['running', 2],
  ]);
  expect(of('2025-10-27', 'early')).toEqual([
    ['running', 6],
    [null, 2],
  ]);
  const hours = rows.map((row) => Number(row.hours));
  expect(hours.reduce((sum, one) => sum + one, 0)).toBe(169);
});

test('the alarms of a week tell how long they lasted, and which are open', () => {
  const rows = answerTo('Alarms by week and priority');
  expect(valuesOf(rows, 'week', 'priority', 'alarms', 'still_open', 'open_alarms')).toEqual([
    ['2025-10-27', 2, 1, 1, ['Feed pump 3: Overheated']],
    ['2025-10-20', 2, 2, 0, null],
    ['2025-10-20', 5, 1, 0, null],
  ]);
  expect(
    valuesOf(rows, 'mean_duration_sec', 'p95_duration_sec', 'mean_time_to_acknowledge_sec', 'unacknowledged'),
  ).toEqual([
    [null, null, null, 1],
    [1200, 1740, 120, 1],
    // Nobody saw its end.
    [null, null, null, 1],
  ]);
});

test('the most frequent alarm comes first, with its share and its bursts', () => {
  expect(
    valuesOf(
      answerTo('The most frequent alarms'),
      'show_name',
      'object',
      'alarms',
      'cumulative_share',
      'bursts',
    ),
  ).toEqual([
    ['Overheated', 'pump3', 3, 0.75, 1],
    ['Vibrates', 'pump4', 1, 1, 0],
  ]);
});

test('what is below a node is found at any depth', () => {
  expect(valuesOf(answerTo('Everything below a node'), 'object', 'object_name', 'template_name')).toEqual([
    ['line1', 'Line 1', 'Line'],
    ['pump3', 'Feed pump 3', 'Pump'],
    ['tank1', 'Tank 1', 'Tank'],
  ]);
});

test('a person of two places below a department counts once', () => {
  expect(
    valuesOf(answerTo('People of each department'), 'ancestor_name', 'with_account', 'without_account'),
  ).toEqual([
    ['Works', 1, 1],
    ['Production', 1, 1],
    ['Assembly', 1, 1],
  ]);
});

test('a property without a point for a day is silent', () => {
  expect(valuesOf(answerTo('Silent properties'), 'object', 'property', 'silent_since')).toEqual([
    ['tank1', 'level', '2025-10-27T06:00:00+01:00'],
    ['pump3', 'state', '2025-10-27T09:00:00+01:00'],
  ]);
});

test('completeness counts days of the plant, also one of 25 hours', () => {
  const rows = answerTo('Completeness by day').filter(({ percent }) => percent !== 100);
  expect(valuesOf(rows, 'store', 'object', 'property', 'bucket')).toEqual([
    [STORE, 'pump3', 'state', '2025-10-27T00:00:00+01:00'],
    [STORE, 'pump3', 'temp', '2025-10-25T00:00:00+02:00'],
  ]);
  expect(rows.map(({ percent }) => Number(percent))).toEqual([
    expect.closeTo((100 * 22) / 24),
    expect.closeTo((100 * 21) / 24),
  ]);
  expect(answerTo('Completeness by day')).toHaveLength(5 * 8);
});

test('the latest value of each property of a template has its unit', () => {
  expect(
    valuesOf(answerTo('Latest values of a template'), 'object_name', 'property_name', 'value', 'unit', 'at'),
  ).toEqual([
    ['Feed pump 3', 'state', 'running', null, '2025-10-27T09:00:00+01:00'],
    ['Feed pump 3', 'temp', '60', '°C', '2025-10-28T11:50:00+01:00'],
    ['Feed pump 4', 'temp', '55', '°C', '2025-10-27T13:15:00+01:00'],
  ]);
});

test('a change tells the column, and what it held before and after', () => {
  expect(valuesOf(answerTo('Changes of an object'), 'at', 'column_name', 'old', 'new')).toEqual([
    ['2025-03-01T10:00:00+01:00', 'show_name', 'Old pump', 'Feed pump 3'],
  ]);
});

test('all pumps have the same hours, with null where a pump has no point', () => {
  const rows = answerTo('One property of all objects of a template');
  const of = (name: string) => rows.filter((row) => row.object_name === name);
  expect(of('Feed pump 3').map(({ mean }) => mean)).toEqual(Array.from({ length: 24 }, () => 35));
  expect(of('Feed pump 4').map(({ mean }) => mean)).toEqual([
    50,
    expect.closeTo((61 + 65 + 55) / 3),
    ...Array.from({ length: 22 }, () => null),
  ]);
});

test('a counter that begins again counts on, and a day of 25 hours counts 25', () => {
  const rows = answerTo('Consumption by day').filter(({ day }) => String(day) <= '2025-10-28');
  expect(valuesOf(rows, 'day', 'consumption', 'resets')).toEqual([
    ['2025-10-20', 2, 0],
    ...['21', '22', '23', '24', '25'].map((day) => [`2025-10-${day}`, 24, 0]),
    ['2025-10-26', 25, 0],
    ['2025-10-27', 23, 1],
    ['2025-10-28', 12, 0],
  ]);
});

test('a value that is sent only when it changes weighs by the time that it held', () => {
  expect(valuesOf(answerTo('Time-weighted mean'), 'day', 'weighted_mean', 'mean', 'share')).toEqual([
    ['2025-10-27', 50, 40, 1],
  ]);
});

test('a violation lasts from the first point beyond the bound to the first within it', () => {
  const [row, ...others] = answerTo('Values out of bounds');
  expect(others).toEqual([]);
  expect(row).toMatchObject({ object_name: 'Feed pump 4', limit_kind: 'high', limit_value: 60, extreme: 65 });
  expect(row).toMatchObject({ from_at: '2025-10-27T13:00:00+01:00', duration_sec: 900 });
});

test('the course around alarms has the seconds from their start', () => {
  const rows = answerTo('A property around an alarm');
  const of = (start: string) => rows.filter(({ started_at }) => String(started_at).startsWith(start));
  expect(valuesOf(of('2025-10-28'), 'after_start_sec', 'value')).toEqual(
    Array.from({ length: 13 }, (_, k) => [600 * (k - 6), 10 + 10 * (k % 6)]),
  );
  expect([of('2025-10-21T10:00').length, of('2025-10-21T10:05').length]).toEqual([13, 12]);
});

test('late points are told by the hour of the day', () => {
  expect(answerTo('Late points')).toEqual([
    { object: 'pump3', property: 'temp', hour_of_day: 7, points: 7, lag_sec: 3600 },
  ]);
});

test('the runs of the last day are added up by stream', () => {
  expect(answerTo('What was loaded')).toEqual([
    { stream: 'objects', runs: 1, records: 5, points: 0, rejects: 1, requests: 2 },
  ]);
});

test('drift names the member, never its values', () => {
  expect(valuesOf(answerTo('Drift'), 'stream', 'member', 'kind', 'count')).toEqual([
    ['objects', 'color', 'new', 3],
  ]);
  expect(Object.keys(answerTo('Drift')[0] ?? {})).not.toContain('sample');
});

test('what verify found is told by series, with whether it was repaired', () => {
  expect(
    valuesOf(
      answerTo('What verify found'),
      'object',
      'property',
      'missing',
      'extra',
      'different',
      'repaired',
    ),
  ).toEqual([['pump3', 'temp', 2, 0, 1, true]]);
});

test('an object of the past has the name and the parent that it had then', () => {
  expect(answerTo('An object in the past')).toEqual([
    { object_name: 'Old pump', template_name: 'Pump', parent: ['line1'], existed: true },
  ]);
});

test('each question has a test', () => {
  expect([...answered].sort()).toEqual([...answers.keys()].sort());
});
