import { describe, expect, it } from 'vitest';
import { readCurrentAlarms } from '../../src/extract/current-alarms.ts';
import { openStubClient } from '../support/stub/client.ts';

const alarm = { sourceObjName: 'pump1', showName: 'hot' };

async function read(body: object, priorities?: readonly number[]) {
  const { platform, stub } = await openStubClient({
    answer: ({ path }) => (path.endsWith('/alarms/v1/current') ? { body } : undefined),
  });
  const request = { priorities, keyword: undefined, signal: new AbortController().signal };
  return { stub, reading: readCurrentAlarms(platform, request) };
}

describe('the current alarms', () => {
  it.each([
    [{ list: [] }, 0],
    [{ list: [alarm] }, 1],
    [{ list: [alarm], message: 'success' }, 1],
    [{ list: [alarm], message: 'one alarm found', pagination: { total: 1 } }, 1],
    [{ list: null, pagination: { total: 0 } }, 0],
  ])('are all that %j holds', async (body, count) => {
    const { records, problem } = await (await read(body)).reading;
    expect([records.length, problem]).toEqual([count, undefined]);
  });

  it.each([
    [{ list: [alarm], message: 'the alarm server is restarting' }, /reports no success/],
    [{ list: [alarm], code: '800001' }, /reports no success/],
    [{ list: [alarm], pagination: { total: 7 } }, /there are 7 current alarms, and sends 1/],
    [{ list: [], total: 7 }, /its total says 7/],
  ])('may be more than %j holds', async (body, expected) => {
    const { records, problem } = await (await read(body)).reading;
    expect(records).toHaveLength(body.list.length);
    expect(problem).toMatch(expected);
  });

  it.each([[{}], [{ list: null }], [{ list: [], message: 'not ready' }]])(
    'are not known from %j',
    async (body) => {
      await expect((await read(body)).reading).rejects.toThrow(/listCurrentAlarms/);
    },
  );

  it('are asked for by priority, and one list that may lack some is enough for a problem', async () => {
    const { stub, reading } = await read({ list: [], pagination: { total: 1 } }, [1, 2]);
    expect((await reading).problem).toMatch(/its total says 1/);
    const asked = stub.requestsTo('/openapi/alarms/v1/current').map(({ query }) => query.get('priority'));
    expect(asked).toEqual(['1', '2']);
  });
});
