import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { type Operation, type OperationId, operations } from '../../src/platform/operations.ts';
import { platformDefaults } from '../../src/platform/platform-options.ts';
import { generalError } from '../support/stub/answers.ts';
import { openStubClient } from '../support/stub/client.ts';

const objects = '/openapi/objects/v1';
const current = '/openapi/objects/v1/properties/current';

describe('the client of a platform', () => {
  it.each(Object.entries(operations))(
    'reaches %s by its method and path',
    async (id, operation: Operation) => {
      const everything = {
        list: [],
        results: [],
        accessToken: 'x',
        userName: 'x',
        result: 'ok',
        children: [],
        name: 'x',
      };
      const { stub, platform } = await openStubClient({
        answer: (request) => (request.path === path ? { body: everything } : undefined),
      });
      const parameters = Object.fromEntries(
        [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'ä/b']),
      );
      const path = operation.path.replace(/\{\w+\}/g, '%C3%A4%2Fb');
      const body = operation.method === 'POST' ? { update: { a: 1 }, where: { b: 2 } } : undefined;
      const call = platform.call as (id: OperationId, input: object) => Promise<unknown>;
      expect(await call(id as OperationId, { path: parameters, body })).toEqual(everything);
      const request = stub.journal.at(-1);
      expect(request).toMatchObject({ method: operation.method, path, body });
      expect(request?.token).toBe(operation.kind === 'token' ? undefined : 'AT-1');
      expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    },
  );

  it('tells the bytes of any reply that is asked for with them', async () => {
    const detail = { name: 'pump1', showName: '泵1' };
    const { platform } = await openStubClient({ details: { [`${objects}/pump1`]: detail } });
    const reply = await platform.read('getObject', { path: { objName: 'pump1' } });
    expect(reply).toEqual({ body: detail, bytes: Buffer.byteLength(JSON.stringify(detail)) });
  });

  it('reads a page of 100, or of the size in the query', async () => {
    const list = Array.from({ length: 150 }, (_, index) => ({ name: `o${index}` }));
    const { stub, platform } = await openStubClient({ lists: { [objects]: list } });
    const second = await platform.listPage('listObjects', { query: { page: 2 } });
    expect(second).toEqual({ items: list.slice(100), total: 150, bytes: expect.any(Number) });
    expect((await platform.listPage('listObjects', { query: { page: 1, per_page: 7 } })).items).toHaveLength(
      7,
    );
    expect(stub.requestsTo(objects).map(({ rawQuery }) => rawQuery)).toEqual([
      'per_page=100&page=2',
      'per_page=7&page=1',
    ]);
  });

  it('loses no digit of a page and survives a bare NaN in it', async () => {
    const text = '{"list":[{"id":9007199254740993,"x":NaN}],"pagination":{"total":"1"}}';
    const { platform } = await openStubClient({
      answer: ({ path }) => (path === objects ? { text } : undefined),
    });
    expect(await platform.listPage('listObjects', {})).toEqual({
      items: [{ id: 9007199254740993n, x: 'NaN' }],
      total: 1,
      bytes: text.length,
    });
  });

  it('refuses a list without its list from call, too', async () => {
    const { platform } = await openStubClient({
      answer: ({ path }) => (path === objects ? { body: {} } : undefined),
    });
    await expect(platform.call('listObjects', {})).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('reads history from the lower bound on, up to but without the upper', async () => {
    const at = (second: number) => new Date(second * 1000).toISOString();
    const rows = [9, 10, 11, 12, 13].map((second) => [at(second), second] as const);
    const { platform } = await openStubClient({ history: { 'p "1".temp': rows } });
    const request = { series: ['p "1".temp', 'p2.temp'], fromSec: 10, toSec: 13, limit: 2, offset: 1 };
    const { columns } = await platform.readHistory(request);
    const own = columns.map(async (column) => [column.name, await column.rows.list()]);
    expect(await Promise.all(own)).toEqual([
      [
        'p "1".temp',
        [
          [at(11), 11],
          [at(12), 12],
        ],
      ],
      ['p2.temp', []],
    ]);
  });

  it('asks for current values under the name of the dialect', async () => {
    const dialect = { ...platformDefaults.dialect, currentParam: 'inputs' } as const;
    const { stub, platform } = await openStubClient(
      { answer: ({ path }) => (path === current ? { body: { 'a.b': 1 } } : undefined) },
      { dialect },
    );
    const { values } = await platform.readCurrent(['a.b']);
    expect(values.get('a.b')?.value).toBe(1);
    expect(stub.journal.at(-1)?.body).toEqual({ inputs: ['a.b'] });
  });

  it('tells a missing object from a missing property, whatever the status of the reply', async () => {
    const names = ['pump1.temp', 'pump1.nosuch', 'ghost.temp'];
    for (const status of [400, 200]) {
      const { stub, platform } = await openStubClient({
        current: { 'pump1.temp': 21.5 },
        answer: ({ text }) =>
          text.includes('ghost') ? { ...generalError('object ghost not found'), status } : undefined,
      });
      await expect(platform.readCurrent(names)).rejects.toMatchObject({
        kind: 'missing',
        action: 'skip',
        message: expect.stringContaining('ghost'),
      });
      expect(stub.requestsTo(current)).toHaveLength(1);
      const { values } = await platform.readCurrent(names.slice(0, 2));
      expect([...values].map(([name, { value }]) => [name, value])).toEqual([
        ['pump1.temp', 21.5],
        ['pump1.nosuch', null],
      ]);
    }
  });

  it('reports names in a current reply that it cannot place', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const answer = { body: { 'a.b': 1, 'x.y': 2 } };
    const { platform } = await openStubClient(
      { answer: ({ path }) => (path === current ? answer : undefined) },
      {},
      { log },
    );
    await platform.readCurrent(['a.b']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { operation: 'readCurrent', names: ['x.y'] },
    ]);
  });

  it("knows how far the platform's clock is from ours", async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { platform } = await openStubClient({
      answer: async (request, stub) => ({ ...stub.defaultAnswer(request), headers: { date } }),
    });
    expect(platform.clockSkewMs()).toBeUndefined();
    await platform.call('getHealth', {});
    const skewMs = platform.clockSkewMs() ?? 0;
    expect(Math.abs(skewMs - 3_600_000)).toBeLessThan(30_000);
  });

  it('spaces requests where a cap is set', async () => {
    const { platform, waitsMs } = await openStubClient(
      {},
      { requestsPerSecond: 5 },
      { clock: () => 1_000_000 },
    );
    await Promise.all([1, 2].map(() => platform.call('getHealth', {})));
    expect(waitsMs.toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  it('holds all requests back while the platform asks for silence', async () => {
    let limited = true;
    const { platform, waitsMs } = await openStubClient(
      {
        answer: ({ path }) =>
          limited && path === objects ? { status: 429, headers: { 'retry-after': '9' } } : undefined,
      },
      { retries: 0 },
      { clock: () => 1_000_000 },
    );
    await expect(platform.listPage('listObjects', {})).rejects.toMatchObject({
      kind: 'unavailable',
      status: 429,
    });
    limited = false;
    await platform.call('getHealth', {});
    expect(waitsMs).toEqual([9000]);
  });

  it('sends nothing after it was closed', async () => {
    const { stub, platform } = await openStubClient();
    await platform.close();
    await expect(platform.call('getHealth', {})).rejects.toThrow(InterruptedError);
    expect(stub.journal).toEqual([]);
  });
});
