import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readTable } from '../../../src/simulator/recorded/read-table.ts';
import { pointsOf, readText, writeCsv } from './recorded-session.ts';

const eight = '2024-05-01T08:00:00.000Z';
const valuesOf = (table: Awaited<ReturnType<typeof readText>>, name: string) =>
  pointsOf(table, name).map(([, value]) => value);

describe('a file divided by another separator', () => {
  test.each([
    ['time;a;b\n2024-05-01 08:00;1,5;-2\n'],
    ['time\ta\tb\n2024-05-01 08:00\t1,5\t-2\n'],
    ['time a b\n2024-05-01T08:00  1,5 -2\n'],
  ])('%j has its columns, and decimal commas are numbers', async (text) => {
    const table = await readText(text);
    expect(table.columns.map(({ primitiveType }) => primitiveType)).toEqual(['Double', 'Double']);
    expect([pointsOf(table, 'a'), pointsOf(table, 'b')]).toEqual([[[eight, 1.5]], [[eight, -2]]]);
  });

  test('can be told', async () => {
    const text = 'time,a;b\n2024-05-01 08:00,1;2\n';
    expect(valuesOf(await readText(text, { separator: 'comma' }), 'a;b')).toEqual(['1;2']);
    await expect(readText(text, { separator: 'pipe' })).rejects.toThrow('there is no separator pipe');
  });
});

describe('values', () => {
  test.each(['NA', 'N/A', 'null', 'NaN', '-', ' '])('%j is missing, not a text', async (marker) => {
    const table = await readText(`time,a\n2024-05-01,1\n2024-05-02,${marker}\n2024-05-03,2\n`);
    expect(table.columns).toMatchObject([{ primitiveType: 'Double', missing: 1 }]);
    expect(valuesOf(table, 'a')).toEqual([1, 2]);
  });

  test('of a mixed column are texts, and are counted', async () => {
    const table = await readText('time,a\n2024-05-01,1\n2024-05-02,ERR\n2024-05-03,2\n');
    expect(table.columns).toMatchObject([{ primitiveType: 'String', numbers: 2, firstText: 'ERR' }]);
  });

  test('that are long integers keep every digit', async () => {
    const table = await readText('time,a\n2024-05-01,1\n2024-05-02,9007199254740993\n');
    expect(table.columns).toMatchObject([{ primitiveType: 'Long' }]);
    expect(valuesOf(table, 'a')).toEqual([1, 9007199254740993n]);
  });
});

describe('times as Excel writes them', () => {
  test.each([
    ['2024/5/1 8:00', eight],
    ['01.05.2024 08:00', eight],
    ['5/13/2024 8:00:00 PM', '2024-05-13T20:00:00.000Z'],
    ['13/5/2024 12:00 AM', '2024-05-13T00:00:00.000Z'],
    ['1714550400', eight],
    ['1714550400000', eight],
  ])('%s is %s', async (time, expected) => {
    expect(pointsOf(await readText(`time,a\n${time},1\n`), 'a')).toEqual([[expected, 1]]);
  });

  test('come in two columns', async () => {
    const table = await readText('日期,时间,a\n2024/5/1,8:00,1\n2024/5/1,9:00,2\n');
    expect(pointsOf(table, 'a')).toEqual([
      [eight, 1],
      ['2024-05-01T09:00:00.000Z', 2],
    ]);
    const named = { timeColumn: 'd+t' };
    expect(pointsOf(await readText('d,t,a\n01.05.2024,8:00,1\n', named), 'a')).toEqual([[eight, 1]]);
  });

  test('are refused if they can be two dates, unless the order is told or proven', async () => {
    const text = 'time,a\n01/02/2024,1\n';
    await expect(readText(text)).rejects.toThrow(
      /line 2: 01\/02\/2024 can be two dates; say --replay-date-order/,
    );
    const first = async (order: 'dmy' | 'mdy') =>
      pointsOf(await readText(text, { dateOrder: order }), 'a')[0]?.[0];
    expect([await first('dmy'), await first('mdy')]).toEqual([
      '2024-02-01T00:00:00.000Z',
      '2024-01-02T00:00:00.000Z',
    ]);
    const going = 'time,a\n1/2/2022 23:00,1\n1/2/2022 23:30,2\n1/3/2022 0:00,3\n';
    expect(pointsOf(await readText(going), 'a')[2]?.[0]).toBe('2022-01-03T00:00:00.000Z');
  });

  test('of an hour that the clock repeats follow its step back', async () => {
    const text = 'time,a\n2024-11-03 01:00,1\n2024-11-03 01:30,2\n2024-11-03 01:00,3\n2024-11-03 01:30,4\n';
    const table = await readText(text, { zone: 'America/New_York' });
    expect(pointsOf(table, 'a').map(([time]) => time.slice(11, 16))).toEqual([
      '05:00',
      '05:30',
      '06:00',
      '06:30',
    ]);
  });
});

test('comments, units and empty rows are left out', async () => {
  const table = await readText('# export\ntime,a\n,°C\n2024-05-01 08:00,1\n,\n# end\n');
  expect(pointsOf(table, 'a')).toEqual([[eight, 1]]);
  expect(table.units).toEqual(['', '°C']);
  expect(await readText('time,a\n2024-05-01 08:00,1\n')).not.toHaveProperty('units');
});

test.each([
  ['2024-05-01 08:00,1\n2024-05-01 09:00,2\n', '"2024-05-01 08:00" is a time'],
  ['1714550400;1;2\n1714550460;3;4\n', '"1714550400" is a time'],
  ['2024/5/1,8:00,1\n2024/5/1,9:00,2\n', '"2024/5/1 8:00" is a time'],
])('a file without a header is refused: %j', async (text, expected) => {
  await expect(readText(text)).rejects.toThrow(`${expected}, where the name of its column should be`);
});

describe('an encoding', () => {
  const gbk = Buffer.concat([
    Buffer.from('time,'),
    Buffer.from([0xce, 0xc2, 0xb6, 0xc8]),
    Buffer.from('\n2024-05-01 08:00,1\n'),
  ]);

  test('that is not UTF-8 is refused, or read as it is told', async () => {
    const path = await writeCsv('g.csv', '');
    await writeFile(path, gbk);
    await expect(readTable({ path })).rejects.toThrow(
      'bytes that are not utf-8; a file of a Chinese Excel needs',
    );
    expect(pointsOf(await readTable({ path, encoding: 'gbk' }), '温度')).toEqual([[eight, 1]]);
    await expect(readTable({ path, encoding: 'klingon' })).rejects.toThrow('there is no encoding klingon');
  });

  test('is UTF-16 if the byte-order mark says so', async () => {
    const path = await writeCsv('u.csv', '');
    await writeFile(path, Buffer.from('\ufefftime\t温度\n2024-05-01 08:00\t1,5\n', 'utf16le'));
    expect(pointsOf(await readTable({ path }), '温度')).toEqual([[eight, 1.5]]);
  });
});
