import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/simulator/simulator-dialect.ts';
import {
  between,
  type HistorySession,
  iso,
  nowMs,
  openHistorySession,
  startMs,
  two,
  values,
} from './history-session.ts';

let session: HistorySession;
beforeAll(async () => {
  session = await openHistorySession();
});
afterAll(() => session.simulator.close());
beforeEach(() => session.simulator.setDialect(defaultDialect));

describe('select and where', () => {
  test('rows of each series come with name, fields and times', async () => {
    expect(await session.history(['"pump.a"'], { limit: 2 })).toEqual([
      {
        name: 'pump.a',
        fields: ['time', 'value'],
        datas: [
          [iso(0), 0],
          [iso(1), 1],
        ],
      },
    ]);
  });

  test.each([
    [{ ge: iso(2), lt: iso(5) }, [2, 3, 4]],
    [{ gt: iso(2), le: iso(5) }, [3, 4, 5]],
    [{ ge: iso(8), gt: '', le: '', lt: '' }, [8, 9]],
    [{ lt: iso(0) }, []],
  ])('bounds %o hold to the point', async (bounds, expected) => {
    expect(values(await session.history(['"pump.a"'], between(bounds)))).toEqual([expected]);
  });

  test.each([
    '2024-05-01T00:00:00.000Z',
    '2024-05-01 00:00:00',
    '2024-05-01T08:00:00+08:00',
    '1714521600000',
  ])('ge %s is refused with 800003', async (ge) => {
    const { status, text } = await session.ask({ select: two, ...between({ ge }) });
    expect([status, JSON.parse(text).code]).toEqual([400, '800003']);
  });

  test('an unquoted name, an empty select and no body are refused with 800003', async () => {
    for (const body of [{ select: ['pump.a'] }, { select: [] }, {}, [], 'text']) {
      const { status, text } = await session.ask(body);
      expect([status, JSON.parse(text).code]).toEqual([400, '800003']);
    }
  });

  test('a missing object is named, a missing property has no rows', async () => {
    const { status, text } = await session.ask({ select: ['"ghost.a"'] });
    expect([status, JSON.parse(text).message]).toEqual([400, 'object ghost not found']);
    expect(values(await session.history(['"pump.none"', '"pump.unkept"']))).toEqual([[], []]);
  });

  test('points of the future do not exist, and microseconds are kept', async () => {
    expect(values(await session.history(['"pump.future"']))).toEqual([[1]]);
    expect((await session.history(['"pump.micro"']))[0]?.datas).toEqual([
      ['2024-05-01T00:00:00.123456Z', 'x'],
    ]);
  });

  test('integers beyond doubles keep their digits, NaN is a text', async () => {
    const { text } = await session.ask({ select: ['"pump.big"'] });
    expect(text).toContain(`["${iso(0)}",9007199254740993]`);
    expect(text).toContain(',"NaN"]');
  });
});

describe('aggregates', () => {
  const range = between({ ge: iso(3), lt: iso(14) });
  test.each([
    ['mean', [3.5, 6.5, 9, null]],
    ['sum', [7, 26, 9, null]],
    ['min', [3, 5, 9, null]],
    ['max', [4, 8, 9, null]],
    ['first', [3, 5, 9, null]],
    ['last', [4, 8, 9, null]],
  ])('%s of whole buckets, the first from before the lower bound', async (fn, expected) => {
    const [result] = await session.history([`${fn}("pump.a")`], { ...range, groupBy: { time: '4s,1s' } });
    expect(result).toMatchObject({ name: 'pump.a', function: fn });
    expect(result?.datas).toEqual(expected.map((value, index) => [iso(1 + 4 * index), value]));
  });

  test('previous fills what is empty after the first value', async () => {
    const [result] = await session.history(['mean("pump.a")'], {
      ...between({ ge: '2024-04-30T23:59:58Z', lt: iso(14) }),
      groupBy: { time: '4s,0s' },
      fill: { strategy: 'previous' },
    });
    expect(result?.datas.map((row) => row[1])).toEqual([null, 1.5, 5.5, 8.5, 8.5]);
  });

  test('months are calendar months, and a function without groupBy gives one row', async () => {
    const [month] = await session.history(['sum("pump.a")'], {
      ...between({ ge: '2024-04-15T00:00:00Z', lt: '2024-05-02T00:00:00Z' }),
      groupBy: { time: '1M,0s' },
    });
    expect(month?.datas).toEqual([
      ['2024-04-01T00:00:00Z', null],
      ['2024-05-01T00:00:00Z', 45],
    ]);
    expect(values(await session.history(['sum("pump.a")'], range))).toEqual([[42]]);
  });

  test('groupBy is refused without functions and in another form', async () => {
    for (const [entry, time] of [
      ['"pump.a"', '4s,0s'],
      ['mean("pump.a")', '4s'],
      ['mean("pump.a")', '4y,0s'],
    ])
      expect((await session.ask({ select: [entry], ...range, groupBy: { time } })).status).toBe(400);
    session.simulator.setDialect({ groupByForm: 'period' });
    expect(
      (await session.ask({ select: ['mean("pump.a")'], ...range, groupBy: { time: '4s' } })).status,
    ).toBe(200);
  });
});

describe('points that come later', () => {
  test('a late point is seen only after its delay', async () => {
    session.simulator.addObject({
      name: 'late',
      properties: [
        { name: 'x', points: [-5, -4, -3, -2, -1].map((second) => [nowMs + second * 1000, second] as const) },
      ],
    });
    expect(values(await session.history(['"late.x"']))[0]).toHaveLength(5);
    session.simulator.setDialect({ lateBySec: 10 });
    expect(values(await session.history(['"late.x"']))).toEqual([[-5, -3, -2, -1]]);
    expect(session.simulator.truth.history('late.x', startMs, nowMs)).toHaveLength(5);
  });

  test('points can be added out of order while it runs', async () => {
    session.simulator.addObject({
      name: 'grows',
      properties: [{ name: 'x', points: [[startMs + 2000, 2]] }],
    });
    session.simulator.addPoints('grows.x', [
      [iso(1), 1],
      [startMs + 3000, 3],
      [iso(0), 0],
    ]);
    expect(values(await session.history(['"grows.x"']))).toEqual([[0, 1, 2, 3]]);
  });

  test('a function can give the points of a window', async () => {
    session.simulator.addObject({
      name: 'made',
      listed: false,
      properties: [
        {
          name: 'x',
          *points(fromMs, toMs) {
            for (let time = Math.ceil(fromMs / 1000) * 1000; time < toMs; time += 1000)
              yield [time, time / 1000];
          },
        },
      ],
    });
    expect(values(await session.history(['"made.x"'], between({ ge: iso(7), lt: iso(9) })))).toEqual([
      [startMs / 1000 + 7, startMs / 1000 + 8],
    ]);
    expect(await session.names('/openapi/objects/v1')).not.toContain('made');
  });
});
