import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/simulator/faults.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeEach(async () => {
  session = await openSession();
});
afterEach(() => session.simulator.close());

const path = '/openapi/persons/v1';
const failWith = (rule: FaultRule) => session.simulator.setFaults([rule]);

describe('replies that fail', () => {
  test('a status with code, message and Retry-After', async () => {
    failWith({ kind: 'status', status: 429, code: 5, message: 'slow down', retryAfterSec: 3 });
    const { status, headers, text } = await session.get(path);
    expect([status, headers.get('retry-after'), JSON.parse(text)]).toEqual([
      429,
      '3',
      { code: 5, message: 'slow down' },
    ]);
  });

  test('a page of HTML, broken JSON, no body', async () => {
    failWith({ kind: 'html' });
    expect(await session.get(path)).toMatchObject({ status: 502, text: expect.stringMatching(/^<html>/) });
    failWith({ kind: 'json-garbage' });
    const { status, text } = await session.get(path);
    expect(status).toBe(200);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    failWith({ kind: 'empty' });
    expect(await session.get(path)).toMatchObject({ status: 200, text: '' });
  });

  test('a connection that is reset or ends in the middle of the body', async () => {
    failWith({ kind: 'reset' });
    await expect(session.get(path)).rejects.toThrow();
    failWith({ kind: 'truncate' });
    await expect(session.get(path)).rejects.toThrow();
    session.simulator.setFaults([]);
    expect((await session.get(path)).status).toBe(200);
    expect(session.simulator.journal().filter(({ status }) => status === 0)).toHaveLength(1);
  });

  test('a reply that is lost after the operation was done', async () => {
    session.simulator.addObject({ name: 'table' });
    const add = () => session.post('/openapi/datatable/v1/table/addDataTableEntry', { id: 1 });
    failWith({ kind: 'reset' });
    await expect(add()).rejects.toThrow();
    expect(session.simulator.truth.datatable('table')).toHaveLength(0);
    failWith({ kind: 'lost' });
    await expect(add()).rejects.toThrow();
    expect(session.simulator.truth.datatable('table')).toHaveLength(1);
  });

  test('silence until the client gives up', async () => {
    failWith({ kind: 'silent' });
    const signal = AbortSignal.timeout(100);
    await expect(fetch(session.simulator.baseUrl + path, { signal })).rejects.toThrow('timeout');
  });

  test('a slow or late reply is whole in the end', async () => {
    const expected = (await session.get(path)).text;
    failWith({ kind: 'slow', delayMs: 50 });
    expect((await session.get(path)).text).toBe(expected);
    session.simulator.setFaults([
      { kind: 'latency', delayMs: 20 },
      { kind: 'latency', delayMs: 20 },
    ]);
    expect((await session.get(path)).text).toBe(expected);
  });

  test('a history reply can be slow, or end in the middle, like any other', async () => {
    session.simulator.addObject({ name: 'pump', properties: [{ name: '温度', points: [[1000, 20.5]] }] });
    const read = () => session.post('/openapi/objects/v1/properties/history', { select: ['"pump.温度"'] });
    const expected = (await read()).text;
    expect(JSON.parse(expected).results[0]).toMatchObject({
      name: 'pump.温度',
      datas: [['1970-01-01T00:00:01Z', 20.5]],
    });
    failWith({ kind: 'slow', delayMs: 50 });
    expect((await read()).text).toBe(expected);
    failWith({ kind: 'truncate' });
    await expect(read()).rejects.toThrow();
  });
});

describe('conditions', () => {
  const statuses = async (count: number, url = path) => {
    const list: number[] = [];
    for (let time = 0; time < count; time += 1) list.push((await session.get(url)).status);
    return list;
  };

  test('after and times bound a fault', async () => {
    failWith({ kind: 'status', after: 1, times: 2 });
    expect(await statuses(4)).toEqual([200, 500, 500, 200]);
  });

  test('operation and match choose the requests', async () => {
    failWith({ kind: 'status', operation: 'listPersons', match: 'page=2' });
    expect(await statuses(1)).toEqual([200]);
    expect(await statuses(1, '/openapi/users/v1?page=2')).toEqual([200]);
    expect(await statuses(1, `${path}?page=2`)).toEqual([500]);
    failWith({ kind: 'status', match: 'ghost' });
    expect(
      (await session.post('/openapi/objects/v1/properties/current', { params: ['ghost.x'] })).status,
    ).toBe(500);
  });

  test('probability strikes a share, the same share in every start', async () => {
    const rule: FaultRule = { kind: 'status', probability: 0.5 };
    failWith(rule);
    const first = await statuses(40);
    failWith(rule);
    expect(await statuses(40)).toEqual(first);
    expect(first.filter((status) => status === 500).length).toBeGreaterThan(8);
    expect(first.filter((status) => status === 200).length).toBeGreaterThan(8);
  });

  test('an unknown kind is refused', () => {
    expect(() => session.simulator.setFaults([{ kind: 'nonsense' as 'status' }])).toThrow('nonsense');
  });
});

describe('changes under way', () => {
  test('a token can be revoked in the middle of a list', async () => {
    failWith({ kind: 'revoke', operation: 'listPersons', match: '&page=2' });
    expect((await session.get(`${path}?per_page=2&page=1`)).status).toBe(200);
    expect((await session.get(`${path}?per_page=2&page=2`)).status).toBe(401);
  });

  test('a refresh can be refused', async () => {
    failWith({ kind: 'status', operation: 'refreshClientToken', status: 400, code: '800001' });
    const url = `${session.simulator.baseUrl}/oauth2/client/v1/refreshToken?refreshToken=x`;
    expect((await fetch(url)).status).toBe(400);
  });

  test('an inserted record repeats one on the next page, a removed one skips one', async () => {
    const page = async (number: number) =>
      ((await session.json(`${path}?per_page=2&page=${number}`)).list as { name: string }[]).map(
        ({ name }) => name,
      );
    const [all, first] = [await session.names(path), await page(1)];
    failWith({ kind: 'insert', operation: 'listPersons', times: 1 });
    expect((await page(2))[0]).toBe(first[1]);
    expect(await session.names(path)).toHaveLength(all.length + 1);
    failWith({ kind: 'remove', operation: 'listPersons', times: 2 });
    expect(await page(2)).toEqual(all.slice(2, 4));
    expect(await page(2)).toEqual(all.slice(3, 5));
  });
});
