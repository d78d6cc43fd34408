import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnSignal } from '../../../src/simulator/recorded/column-signal.ts';
import { CsvColumn, orderByTime } from '../../../src/simulator/recorded/csv-column.ts';
import { readTable } from '../../../src/simulator/recorded/read-table.ts';
import { StoredSignal } from '../../../src/simulator/signals/stored.ts';
import { pointsOf, readText, writeCsv } from './recorded-session.ts';

const at = (minute: number) => `2024-05-01T00:0${minute}:00.000Z`;
const typesOf = ({ columns }: Awaited<ReturnType<typeof readText>>) =>
  columns.map(({ name, primitiveType }) => [name, primitiveType]);

describe('columns', () => {
  test('of numbers are Doubles, others Strings; an empty cell is no point', async () => {
    const table = await readText(
      [
        'timestamp,power,label,POA [W/m²],nothing',
        '2024-05-01 00:00,0,on,-1.5,',
        '2024-05-01 00:01,,,2e-05,',
        '2024-05-01 00:02,20.1,"He said ""stop"", then left",NaN,',
      ].join('\n'),
    );
    expect(typesOf(table)).toEqual([
      ['power', 'Double'],
      ['label', 'String'],
      ['POA [W/m²]', 'Double'],
      ['nothing', 'Double'],
    ]);
    expect(pointsOf(table, 'power')).toEqual([
      [at(0), 0],
      [at(2), 20.1],
    ]);
    expect(pointsOf(table, 'label')).toEqual([
      [at(0), 'on'],
      [at(2), 'He said "stop", then left'],
    ]);
    expect(pointsOf(table, 'POA [W/m²]').map(([, value]) => value)).toEqual([-1.5, 2e-5]);
    expect(pointsOf(table, 'nothing')).toEqual([]);
  });

  test('that begin with numbers and hold a text keep the spelling of their numbers', async () => {
    const table = await readText(
      'time,code\n2024-05-01,007\n2024-05-02,1.50\n2024-05-03,12,5\n'.replace('12,5', '"12,5"'),
    );
    expect(typesOf(table)).toEqual([['code', 'String']]);
    expect(pointsOf(table, 'code').map(([, value]) => value)).toEqual(['007', '1.50', '12,5']);
  });

  test('without a name get one from their place', async () => {
    const table = await readText(',a,\n2022/1/2 0:00,1,2\n');
    expect(typesOf(table).map(([name]) => name)).toEqual(['a', 'column_3']);
  });

  test('are in the order of time, rows of equal times in that of the file', async () => {
    const table = await readText(
      'time,a,b\n2024-05-01 00:02,1,\n2024-05-01 00:01,2,x\n2024-05-01 00:02,3,y\n2024-05-01 00:00,4,z\n',
    );
    expect(pointsOf(table, 'a')).toEqual([
      [at(0), 4],
      [at(1), 2],
      [at(2), 1],
      [at(2), 3],
    ]);
    expect(pointsOf(table, 'b').map(([, value]) => value)).toEqual(['z', 'x', 'y']);
    expect(table).toMatchObject({ rows: 4, firstMs: Date.parse(at(0)), lastMs: Date.parse(at(2)) });
  });

  test('may come with a byte-order mark, CRLF, and empty lines at the end', async () => {
    const table = await readText('\ufefftime,a\r\n2024-05-01 00:00,1\r\n\r\n\r\n');
    expect(pointsOf(table, 'a')).toEqual([[at(0), 1]]);
  });
});

describe('the column of times', () => {
  test.each([
    ['a,DateTime', '1,2024-05-01'],
    ['a,Time Stamp', '1,2024-05-01'],
    [',a', '2024/5/1 0:00,1'],
    ['measured_on,a', '2024-05-01T00:00:00Z,1'],
  ])('of the header %s is found', async (header, row) => {
    expect(pointsOf(await readText(`${header}\n${row}\n`), 'a')).toEqual([[at(0), 1]]);
  });

  test('can be named, and its times be of a zone', async () => {
    const text = 'date,utc time,a\n2024-05-01,2024-05-01 02:00,1\n';
    const table = await readText(text, { timeColumn: 'utc time', zone: 'Europe/Berlin' });
    expect(pointsOf(table, 'a')).toEqual([[at(0), 1]]);
    expect(pointsOf(table, 'date')).toEqual([[at(0), '2024-05-01']]);
  });
});

describe('a file that cannot be used', () => {
  test.each([
    ['', {}, /given\.csv: is empty$/],
    ['time,a\n', {}, /given\.csv: has no row below its header$/],
    ['time\n2024-05-01\n', {}, /given\.csv: has no column besides its times$/],
    ['time,a,a\n2024-05-01,1,2\n', {}, /given\.csv, line 1: columns 2 and 3 are both called a$/],
    ['date,time,a\n2024-05-01,5,1\n', {}, /times could be in date or time: say which/],
    ['a,b\n1,2024-05-01\n', {}, /the first, a, begins with "1", which is no time: say which/],
    ['time,a\n2024-05-01,1\n', { timeColumn: 'at' }, /has no column at; its columns are time, a$/],
    ['time,a\n2024-05-01,1\n', { zone: 'Mars/Base' }, /Mars\/Base, which is no IANA time zone$/],
    [
      'time,a\n2024-05-01,1\n\n13/13/2024,2\n',
      {},
      /line 4: column time: "13\/13\/2024" is no time; understood are/,
    ],
    ['time,a\n2024-05-01,1\n,2\n', {}, /line 3: column time: "" is no time/],
    ['time,a\n2024-05-01,1,5\n', {}, /line 2: has 3 cells, but the header names 2 columns$/],
    ['time,a\n2024-05-01,"1"5\n', {}, /line 2: is no CSV: /],
  ])('%j is refused with file, line and column', async (text, options, message) => {
    await expect(readText(text, options)).rejects.toThrow(message);
  });

  test('is named if it is not there, or is a folder', async () => {
    const path = await writeCsv('there.csv', '');
    await expect(readTable({ path: `${path}.not` })).rejects.toThrow('there.csv.not: there is no such file');
    await expect(readTable({ path: path.replace(/there\.csv$/, '') })).rejects.toThrow('is a folder');
  });
});

test('a packed column gives the same windows as its points one by one', () => {
  const cell = fc.oneof(
    fc.constant(''),
    fc.integer({ min: -9, max: 9 }).map(String),
    fc.constantFrom('a', 'b'),
  );
  const rows = fc.array(fc.record({ time: fc.nat({ max: 20 }), cell }), { minLength: 1, maxLength: 30 });
  const window = fc.record({ from: fc.nat({ max: 21 }), to: fc.nat({ max: 21 }), max: fc.nat({ max: 10 }) });
  fc.assert(
    fc.property(rows, window, (given, { from, to, max }) => {
      const read = (isText: boolean) => {
        const column = new CsvColumn('a', isText);
        for (const row of given) column.add(row.cell);
        return column;
      };
      const first = read(false);
      const column = first.mustReread ? read(true) : first;
      const packed = columnSignal(column.pack(orderByTime(Float64Array.from(given, ({ time }) => time))));
      const isText = given.some(({ cell }) => /[ab]/.test(cell));
      const stored = new StoredSignal(
        given
          .filter(({ cell }) => cell !== '')
          .map(({ time, cell }) => [time, isText ? cell : Number(cell)] as const),
      );
      expect(column.isText).toBe(isText);
      expect(packed.read(from, to, max)).toEqual(stored.read(from, to, max));
      expect(packed.readLast?.(from, to, max)).toEqual(stored.readLast(from, to, max));
    }),
    { numRuns: 500 },
  );
});
