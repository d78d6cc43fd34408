import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../../src/platform/dialect.ts';
import { MalformedReply } from '../../../src/platform/failure.ts';
import { decodeHistory, encodeHistory } from '../../../src/platform/history/decode-history.ts';
import { ListedRows } from '../../../src/platform/history/history-rows.ts';
import type { HistoryRequest } from '../../../src/platform/platform.ts';

const request: HistoryRequest = {
  series: ['pump1.temp', 'pump2.temp'],
  fromSec: Date.parse('2024-05-01T10:00:00Z') / 1000,
  toSec: Date.parse('2024-05-01T11:00:00Z') / 1000,
  limit: 1000,
  offset: 0,
};
const aggregated: HistoryRequest = { ...request, aggregate: { functions: ['mean', 'max'], periodSec: 300 } };

describe('encodeHistory', () => {
  it('asks for quoted names and whole UTC seconds, lower bound included', () => {
    expect(encodeHistory(request, defaultDialect)).toEqual({
      select: ['"pump1.temp"', '"pump2.temp"'],
      where: { and: { timestamp: { ge: '2024-05-01T10:00:00Z', lt: '2024-05-01T11:00:00Z' } } },
      limit: 1000,
    });
  });

  it('sends the offset only above 0', () => {
    expect(encodeHistory({ ...request, offset: 500 }, defaultDialect)).toMatchObject({ offset: 500 });
  });

  it('asks for every function of every series, by period and offset', () => {
    const fill = {
      ...aggregated,
      aggregate: { functions: ['mean', 'max'], periodSec: 300, fill: 'previous' },
    };
    expect(encodeHistory(fill, defaultDialect)).toMatchObject({
      select: ['mean("pump1.temp")', 'mean("pump2.temp")', 'max("pump1.temp")', 'max("pump2.temp")'],
      groupBy: { time: '300s,0s' },
      fill: { strategy: 'previous' },
    });
  });

  it.each([
    ['bare', ['pump1.temp'], ['mean(pump1.temp)']],
    ['parenthesised', ['("pump1.temp")'], ['mean("pump1.temp")']],
  ] as const)('spells names %s where the dialect says so', (select, plain, withFunction) => {
    const one = { ...request, series: ['pump1.temp'] };
    const mean = { ...one, aggregate: { functions: ['mean'], periodSec: 60 } };
    expect(encodeHistory(one, { ...defaultDialect, select }).select).toEqual(plain);
    expect(encodeHistory(mean, { ...defaultDialect, select }).select).toEqual(withFunction);
  });

  it('sends unused bounds as empty texts, and the period alone, where the dialect says so', () => {
    const dialect = { ...defaultDialect, unusedBounds: 'empty', groupBy: 'period-only' } as const;
    expect(encodeHistory(aggregated, dialect)).toMatchObject({
      where: { and: { timestamp: { gt: '', le: '' } } },
      groupBy: { time: '300s' },
    });
  });
});

describe('decodeHistory', () => {
  const rows = [
    ['2024-05-01T10:00:00Z', 1],
    ['2024-05-01T10:00:01Z', 2],
  ];

  it('reads results that name their series next to a plain value column', () => {
    const body = {
      results: [
        { name: 'pump2.temp', fields: ['time', 'value'], datas: rows },
        { name: '"pump1.temp"', function: '', fields: ['time', 'value'], datas: [] },
      ],
    };
    expect(decodeHistory(body, request)).toEqual([
      { name: 'pump2.temp', fn: undefined, rows: new ListedRows(rows), timeAt: 0, valueAt: 1, sparse: false },
      { name: 'pump1.temp', fn: undefined, rows: new ListedRows([]), timeAt: 0, valueAt: 1, sparse: false },
    ]);
  });

  it('reads the doubly nested form, columns in any order', async () => {
    const body = { results: [{ results: [{ fields: ['"pump2.temp"', 'timestamp'], datas: [[1, 'T']] }] }] };
    const [column] = decodeHistory(body, request);
    expect(column).toMatchObject({ name: 'pump2.temp', fn: undefined, timeAt: 1, valueAt: 0, sparse: false });
    expect(await column?.rows.list()).toEqual([[1, 'T']]);
  });

  it('reads several value columns of one result', () => {
    const body = { results: [{ fields: ['pump2.temp', 'time', 'pump1.temp'], datas: [[2, 'T', 1]] }] };
    expect(decodeHistory(body, request).map(({ name, valueAt, timeAt }) => [name, valueAt, timeAt])).toEqual([
      ['pump2.temp', 0, 1],
      ['pump1.temp', 2, 1],
    ]);
  });

  it('tells functions by the member function, the column, or the name', () => {
    const body = {
      results: [
        { name: 'pump1.temp', function: 'mean', fields: ['time', 'value'], datas: [] },
        { name: 'pump1.temp', fields: ['time', 'mean', 'max'], datas: [] },
        { name: 'max("pump2.temp")', fields: ['time', 'value'], datas: [] },
        { fields: ['time', 'mean("pump2.temp")'], datas: [] },
      ],
    };
    const columns = decodeHistory(body, aggregated);
    expect(columns.map(({ name, fn, valueAt }) => [name, fn, valueAt])).toEqual([
      ['pump1.temp', 'mean', 1],
      ['pump1.temp', 'mean', 1],
      ['pump1.temp', 'max', 2],
      ['pump2.temp', 'max', 1],
      ['pump2.temp', 'mean', 1],
    ]);
  });

  it('takes the only function asked for where the reply states none', () => {
    const body = { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: [] }] };
    const mean = { ...request, aggregate: { functions: ['mean'], periodSec: 60 } };
    expect(decodeHistory(body, mean)).toMatchObject([{ name: 'pump1.temp', fn: 'mean' }]);
  });

  it('goes by the order of unnamed results only if none was left out', () => {
    const unnamed = (datas: unknown[]) => ({ fields: ['time', 'value'], datas });
    const both = decodeHistory({ results: [unnamed([]), unnamed(rows)] }, request);
    expect(both.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['pump1.temp', 0],
      ['pump2.temp', 2],
    ]);
    expect(() => decodeHistory({ results: [unnamed(rows)] }, request)).toThrow(MalformedReply);
    const four = decodeHistory({ results: [1, 2, 3, 4].map(() => unnamed([])) }, aggregated);
    expect(four.map(({ name, fn }) => `${fn} ${name}`)).toEqual([
      'mean pump1.temp',
      'mean pump2.temp',
      'max pump1.temp',
      'max pump2.temp',
    ]);
  });

  it('gives no column for a series that the reply leaves out, and an empty one where it names it', () => {
    expect(decodeHistory({ results: [] }, request)).toEqual([]);
    expect(decodeHistory({ results: [{ results: [] }] }, request)).toEqual([]);
    const one = { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: [] }] };
    expect(decodeHistory(one, request)).toMatchObject([{ name: 'pump1.temp', rows: { length: 0 } }]);
  });

  it.each([
    ['an empty result', { results: [{}] }],
    ['an empty result inside another', { results: [{ results: [{}] }] }],
    ['a result without datas', { results: [{ name: 'pump1.temp', fields: ['time', 'value'] }] }],
    [
      'a result whose datas are null',
      { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: null }] },
    ],
    ['a message next to an empty list', { message: 'not ready', results: [] }],
    ['an error next to an empty list', { error: { reason: 'shard lost' }, results: [] }],
    [
      'a message next to a series without rows',
      {
        message: 'one of two shards answered',
        results: [
          { name: 'pump1.temp', fields: ['time', 'value'], datas: rows },
          { name: 'pump2.temp', fields: ['time', 'value'], datas: [] },
        ],
      },
    ],
  ])('takes %s for no proof that there are no points', (_, body) => {
    expect(() => decodeHistory(body, request)).toThrow(MalformedReply);
  });

  it.each([
    { code: '800000', message: 'query finished' },
    { message: 'success' },
    { message: '操作成功' },
    { message: '' },
  ])('believes an empty list next to %j', (said) => {
    expect(decodeHistory({ ...said, results: [] }, request)).toEqual([]);
  });

  it('matches another spelling by its ending, but only if it is the only one', () => {
    const named = (name: string) => ({ results: [{ name, fields: ['time', 'value'], datas: rows }] });
    expect(decodeHistory(named('default.PUMP1.temp'), request)).toMatchObject([{ name: 'pump1.temp' }]);
    expect(() => decodeHistory(named('temp'), request)).toThrow(MalformedReply);
  });

  it('leaves a column of qualities alone even if its name ends like a series', () => {
    const body = {
      results: [{ name: 'pump1.temp', fields: ['time', 'value', 'status'], datas: [['T', 1, 192]] }],
    };
    const columns = decodeHistory(body, { ...request, series: ['pump1.temp', 'pump1.status'] });
    expect(columns).toMatchObject([{ name: 'pump1.temp', valueAt: 1, sparse: false }]);
    expect(columns).toHaveLength(1);
  });

  it('takes the only column, however named, of a result that names its series', () => {
    const body = { results: [{ name: 'pump1.temp', fields: ['time', 'temp'], datas: rows }] };
    expect(decodeHistory(body, request)).toMatchObject([{ name: 'pump1.temp', valueAt: 1, sparse: false }]);
  });

  it.each([
    ['no results', { list: [] }],
    ['a series nobody asked for', { results: [{ name: 'x.y', fields: ['time', 'value'], datas: [] }] }],
    ['no time', { results: [{ name: 'pump1.temp', fields: ['value'], datas: [] }] }],
    ['no fields', { results: [{ name: 'pump1.temp', datas: rows }] }],
    [
      'rows that are no arrays',
      { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: [{}] }] },
    ],
    ['an error instead of a result', { results: [{ error: 'timeout' }] }],
    ['text', 'ok'],
  ])('refuses a reply with %s', (_, body) => {
    expect(() => decodeHistory(body, request)).toThrow(MalformedReply);
  });
});
