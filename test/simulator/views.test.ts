import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/simulator/faults.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeEach(async () => {
  session = await openSession({ size: 'small' });
});
afterEach(() => session.simulator.close());

const failWith = (...rules: FaultRule[]) => session.simulator.setFaults(rules);
const path = '/openapi/objects/v1';

describe('empty lists', () => {
  test('say that there is nothing, for the operations that are chosen', async () => {
    failWith({ kind: 'empty-list', operation: 'listObjects' });
    expect(await session.json(path)).toEqual({
      list: [],
      pagination: { pageIndex: 1, pageSize: 20, total: 0 },
    });
    expect(await session.names('/openapi/persons/v1')).toHaveLength(40);
    expect(session.simulator.truth.count('listObjects')).toBe(60);
    failWith();
    expect(await session.names(path)).toHaveLength(60);
  });
});

describe('hidden records', () => {
  test('are about half of them, always the same, in no list and not found by their names', async () => {
    const all = await session.names(path);
    failWith({ kind: 'hide' });
    const seen = await session.names(path);
    expect(await session.names(path)).toEqual(seen);
    expect(all.filter((name) => seen.includes(name))).toEqual(seen);
    expect(seen.length).toBeGreaterThan(15);
    expect(seen.length).toBeLessThan(45);
    for (const name of all)
      for (const end of ['', '/properties'])
        expect((await session.get(`${path}/${encodeURIComponent(name)}${end}`)).status).toBe(
          seen.includes(name) ? 200 : 400,
        );
    failWith();
    expect(await session.names(path)).toEqual(all);
  });

  test('stay visible to operations that the rule does not name', async () => {
    const all = await session.names(path);
    failWith({ kind: 'hide', operation: 'getObject' });
    expect(await session.names(path)).toEqual(all);
    const statuses = new Set<number>();
    for (const name of all) statuses.add((await session.get(`${path}/${encodeURIComponent(name)}`)).status);
    expect(statuses).toEqual(new Set([200, 400]));
  });
});

test('a total can be that of the first page', async () => {
  session.simulator.setDialect({ total: 'first-page-size' });
  expect((await session.json(`${path}?per_page=25&page=2`)).pagination).toMatchObject({ total: 25 });
  expect((await session.json('/openapi/networks/v1')).pagination).toMatchObject({ total: 2 });
});
