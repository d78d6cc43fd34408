import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultDialect, type SimulatorDialect } from '../../src/simulator/simulator-dialect.ts';
import { between, type HistorySession, iso, openHistorySession, two, values } from './history-session.ts';

let session: HistorySession;
beforeAll(async () => {
  session = await openHistorySession();
});
afterAll(() => session.simulator.close());
beforeEach(() => session.simulator.setDialect(defaultDialect));

describe('limit, offset and bounds', () => {
  const limits: [Partial<SimulatorDialect>, object, number[][]][] = [
    [
      {},
      { limit: 2, offset: 1 },
      [
        [1, 2],
        [10, 20],
      ],
    ],
    [
      { limitMeaning: 'total' },
      { limit: 11, offset: 1 },
      [
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        [0, 10],
      ],
    ],
    [
      { limitMeaning: 'total-by-time' },
      { limit: 4, offset: 1 },
      [
        [1, 2],
        [0, 10],
      ],
    ],
    [
      { historyOrder: 'descending' },
      { limit: 2, offset: 1 },
      [
        [8, 7],
        [80, 70],
      ],
    ],
    [{ historyOrder: 'descending', limitMeaning: 'total-by-time' }, { limit: 3 }, [[9], [90, 80]]],
    [
      { ignoreBounds: 'ge' },
      between({ ge: iso(1), lt: iso(2) }),
      [
        [0, 1],
        [0, 10],
      ],
    ],
    [
      { ignoreBounds: 'lt' },
      between({ ge: iso(8), lt: iso(9) }),
      [
        [8, 9],
        [80, 90],
      ],
    ],
    [
      { ignoreBounds: 'both', hiddenCap: 2 },
      between({ ge: iso(5), lt: iso(6) }),
      [
        [0, 1],
        [0, 10],
      ],
    ],
    [{ ignoreOffset: true }, { limit: 1, offset: 5 }, [[0], [0]]],
    [
      { hiddenCap: 3 },
      { limit: 5, offset: 2 },
      [
        [2, 3, 4],
        [20, 30, 40],
      ],
    ],
    [{ hiddenCap: 3, hiddenCapMeaning: 'total' }, { limit: 2 }, [[0, 1], [0]]],
    [{ defaultLimit: 1 }, {}, [[0], [0]]],
  ];
  test.each(limits)('dialect %o with %o', async (dialect, extra, expected) => {
    session.simulator.setDialect(dialect);
    expect(values(await session.history(two, extra))).toEqual(expected);
  });

  test('a limit above the maximum is refused', async () => {
    session.simulator.setDialect({ maxLimit: 100 });
    expect((await session.ask({ select: two, limit: 101 })).status).toBe(400);
    expect((await session.ask({ select: two, limit: 100 })).status).toBe(200);
  });
});

describe('reply forms', () => {
  const short = { limit: 1 };
  test('nested results', async () => {
    session.simulator.setDialect({ historyReply: 'nested' });
    const [outer] = await session.history(two, short);
    expect(outer).toMatchObject({ results: [{ name: 'pump.a' }, { name: 'pump.b' }] });
  });

  test('columns with the value first, named by their series', async () => {
    session.simulator.setDialect({ columnOrder: 'value-first', valueField: 'series' });
    expect((await session.history(two, short))[1]).toMatchObject({
      fields: ['pump.b', 'time'],
      datas: [[0, '2024-05-01T00:00:00.500Z']],
    });
  });

  test('one result with a column per series', async () => {
    session.simulator.setDialect({ historyReply: 'wide' });
    expect(await session.history(two, short)).toEqual([
      {
        fields: ['time', 'pump.a', 'pump.b'],
        datas: [
          [iso(0), 0, null],
          ['2024-05-01T00:00:00.500Z', null, 0],
        ],
      },
    ]);
  });

  test.each([
    ['utc-millis', '"2024-05-01T00:00:00.500Z"'],
    ['offset', '"2024-05-01T08:00:00.500+08:00"'],
    ['offset-no-colon', '"2024-05-01T08:00:00.500+0800"'],
    ['epoch-ms', '1714521600500'],
    ['epoch-s', '1714521600.5'],
    ['zoneless', '"2024-05-01 08:00:00"'],
    ['local-as-utc', '"2024-05-01T08:00:00Z"'],
  ] as const)('times as %s', async (historyTimes, expected) => {
    session.simulator.setDialect({ historyTimes });
    expect((await session.ask({ select: ['"pump.b"'], limit: 1 })).text).toContain(`[[${expected},0]]`);
  });

  test.each([
    [{ int64As: 'string' }, '"9007199254740993"', '"9007199254740992"', '"NaN"'],
    [{ int64As: 'mixed' }, '9007199254740993', '"9007199254740992"', '"NaN"'],
    [{ nanAs: 'bare' }, '9007199254740993', '9007199254740992', 'NaN'],
    [{ nanAs: 'null' }, '9007199254740993', '9007199254740992', 'null'],
    [{ numbersAs: 'string' }, '"9007199254740993"', '"9007199254740992"', '"NaN"'],
  ] as const)('values in the form %o', async (dialect, ...expected) => {
    session.simulator.setDialect(dialect);
    const { text } = await session.ask({ select: ['"pump.big"'] });
    expect([...text.matchAll(/Z",([^\]]*)\]/g)].map((match) => match[1])).toEqual(expected);
  });

  test('select and unused bounds in other forms', async () => {
    const status = async (body: object) => (await session.ask(body)).status;
    session.simulator.setDialect({ historySelect: ['unquoted'] });
    expect([await status({ select: ['pump.a'] }), await status({ select: two })]).toEqual([200, 400]);
    session.simulator.setDialect({ historySelect: ['parenthesised'] });
    expect([await status({ select: ['("pump.a")'] }), await status({ select: two })]).toEqual([200, 400]);
    session.simulator.setDialect({ ...defaultDialect, unusedBounds: 'empty' });
    const full = { ge: iso(0), gt: '', lt: '', le: '' };
    expect([
      await status({ select: two, ...between(full) }),
      await status({ select: two, ...between({ ge: iso(0) }) }),
    ]).toEqual([200, 400]);
    session.simulator.setDialect({ unusedBounds: 'omitted' });
    expect(await status({ select: two, ...between(full) })).toBe(400);
  });
});
