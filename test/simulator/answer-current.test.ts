import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultDialect } from '../../src/simulator/simulator-dialect.ts';
import { openSession, type Session } from './session.ts';

const nowMs = Date.UTC(2024, 4, 1, 0, 0, 30);
const path = '/openapi/objects/v1/properties/current';

let session: Session;
beforeAll(async () => {
  session = await openSession({ nowMs: () => nowMs });
  session.simulator.addObject({
    name: 'a.pump "1"',
    properties: [
      {
        name: 'temp',
        points: [
          ['2024-01-01T00:00:00Z', 1],
          ['2024-05-01T00:00:00Z', 21.5],
          ['2024-05-01T00:01:00Z', 99],
        ],
      },
      { name: 'big.count', points: [['2024-05-01T00:00:00Z', 2n ** 63n - 1n]] },
      {
        name: 'rare',
        persisted: false,
        logged: false,
        points: [['2016-01-01T00:00:00Z', { deep: [true, null] }]],
      },
    ],
  });
});
afterAll(() => session.simulator.close());
beforeEach(() => session.simulator.setDialect(defaultDialect));

const read = async (...params: string[]) => (await session.post(path, { params })).text;

test('the last value up to now comes bare, whatever its type and age', async () => {
  expect(await read('a.pump "1".temp', 'a.pump "1".big.count', 'a.pump "1".rare')).toBe(
    '{"a.pump \\"1\\".temp":21.5,"a.pump \\"1\\".big.count":9223372036854775807,"a.pump \\"1\\".rare":{"deep":[true,null]}}',
  );
});

test('a missing property is null', async () => {
  expect(JSON.parse(await read('a.pump "1".nosuch'))).toEqual({ 'a.pump "1".nosuch': null });
});

test('a missing object is named, with status 400 or 200', async () => {
  const refused = await session.post(path, { params: ['a.pump "1".temp', 'ghost.temp'] });
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    400,
    { code: '800001', message: 'object ghost not found' },
  ]);
  session.simulator.setDialect({ missingObject: 'reported' });
  const reported = await session.post(path, { params: ['ghost.temp'] });
  expect([reported.status, JSON.parse(reported.text)]).toEqual([
    200,
    { code: '800001', message: 'object ghost not found' },
  ]);
});

test('only the member of the dialect is understood', async () => {
  session.simulator.setDialect({ currentMember: 'names' });
  expect((await session.post(path, { names: ['a.pump "1".temp'] })).status).toBe(200);
  expect(JSON.parse(await read('a.pump "1".temp')).code).toBe('800003');
});

test('the wrapped form has status and time', async () => {
  session.simulator.setDialect({
    currentReply: 'wrapped',
    currentNames: 'prefixed',
    historyTimes: 'epoch-ms',
  });
  expect(JSON.parse(await read('a.pump "1".temp', 'a.pump "1".no'))).toEqual({
    code: '800000',
    message: 'success',
    data: {
      'plant.a.pump "1".temp': { value: 21.5, status: 0, timeStamp: Date.UTC(2024, 4, 1) },
      'plant.a.pump "1".no': { value: null, status: 1, timeStamp: null },
    },
  });
});

test('the current value of a generated series is the last of its history', async () => {
  for (const { object, property } of session.simulator.truth.series({ limit: 2 })) {
    const name = `${object}.${property}`;
    const [, value] = session.simulator.truth.history(name, nowMs - 86_400_000, nowMs + 1).at(-1) ?? [];
    if (value !== undefined && typeof value !== 'bigint')
      expect(JSON.parse(await read(name))).toEqual({ [name]: value });
  }
});
