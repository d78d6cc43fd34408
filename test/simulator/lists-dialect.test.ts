import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultDialect, type SimulatorDialect } from '../../src/simulator/simulator-dialect.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeEach(async () => {
  session = await openSession({ size: { persons: 5 } });
});
afterEach(() => session.simulator.close());

const path = '/openapi/persons/v1';
const page = async (number: number, dialect: Partial<SimulatorDialect>) => {
  session.simulator.setDialect({ ...defaultDialect, ...dialect });
  const reply = await session.json(`${path}?per_page=2&page=${number}`);
  return { names: (reply.list as { name: string }[]).map(({ name }) => name), pagination: reply.pagination };
};

describe('pagination', () => {
  test('its members have other names', async () => {
    expect((await page(2, { paginationNames: 'current' })).pagination).toEqual({
      current: 2,
      size: 2,
      total: 5,
    });
    expect((await page(2, { paginationNames: 'page' })).pagination).toEqual({
      page: 2,
      pagesize: 2,
      total: 5,
    });
    expect((await page(2, { pagination: 'absent' })).pagination).toBeUndefined();
  });

  test.each([
    ['absent', undefined],
    ['text', '5'],
    ['zero', 0],
    ['high', 12],
    ['low', 0],
    ['first-page', undefined],
  ] as const)('a total that is %s', async (total, expected) => {
    expect((await page(2, { total })).pagination).toEqual({
      pageIndex: 2,
      pageSize: 2,
      ...(expected === undefined ? {} : { total: expected }),
    });
  });

  test('a page past the end is empty, the last record, or the last page again', async () => {
    const last = (await page(3, {})).names;
    const before = (await page(2, {})).names;
    expect((await page(9, {})).names).toEqual([]);
    expect((await page(9, { pastEnd: 'short' })).names).toEqual(last);
    expect((await page(9, { pastEnd: 'last-page' })).names).toEqual(last);
    session.simulator.change({ collection: 'persons', kind: 'add', record: { name: 'six', showName: '' } });
    expect((await page(9, { pastEnd: 'last-page' })).names).toEqual([last[0], 'six']);
    expect((await page(9, { pastEnd: 'short' })).names).toEqual(['six']);
    expect((await page(9, { ignorePage: true })).names).not.toEqual(before);
  });

  test('every page is the first one, and pages are shorter than asked', async () => {
    expect((await page(3, { ignorePage: true })).names).toEqual((await page(1, {})).names);
    const short = await page(2, { maxPageSize: 1 });
    expect(short).toEqual({
      names: [(await page(1, {})).names[1]],
      pagination: { pageIndex: 2, pageSize: 1, total: 5 },
    });
  });
});

test('array parameters are understood in one form', async () => {
  const count = async (query: string) => (await session.names(`/openapi/objects/v1?${query}`)).length;
  const [pumps, tanks] = [await count('templateName=Pump'), await count('templateName=Tank')];
  expect(await count('templateName=Pump&templateName=Tank')).toBe(pumps + tanks);
  session.simulator.setDialect({ arrayQuery: 'comma' });
  expect(await count('templateName=Pump,Tank')).toBe(pumps + tanks);
  session.simulator.setDialect({ arrayQuery: 'brackets' });
  expect(await count('templateName[]=Pump&templateName[]=Tank')).toBe(pumps + tanks);
});

describe('errors', () => {
  const error = async (dialect: Partial<SimulatorDialect>) => {
    session.simulator.setDialect({ ...defaultDialect, ...dialect });
    return (await session.get(`${path}/none`)).text;
  };
  test('have codes as texts, as integers, none at all, more members, or are pages', async () => {
    const message = 'person none not found';
    expect(JSON.parse(await error({}))).toEqual({ code: '800001', message });
    expect(JSON.parse(await error({ errorCode: 'integer' }))).toEqual({ code: 800001, message });
    expect(JSON.parse(await error({ errorCode: 'absent' }))).toEqual({ message });
    expect(JSON.parse(await error({ extraErrorMembers: true }))).toMatchObject({
      code: '800001',
      data: null,
    });
    expect(await error({ errorBody: 'html' })).toMatch(/^<html>/);
  });

  test('an unknown path gets 404, an unknown dialect member is refused', async () => {
    expect((await session.get('/openapi//persons/v1')).status).toBe(404);
    expect(session.simulator.journal().at(-1)).toMatchObject({ path: '/openapi//persons/v1', status: 404 });
    expect(() => session.simulator.setDialect({ nonsense: 1 } as Partial<SimulatorDialect>)).toThrow(
      'nonsense',
    );
  });
});

test('times of records and alarms follow the dialect', async () => {
  const list = async (name: string) =>
    (await session.json(`/openapi/${name}`)).list as Record<string, unknown>[];
  const [object] = await list('objects/v1');
  session.simulator.setDialect({ recordTimes: 'epoch-ms', alarmTimes: 'zoneless' });
  expect((await list('objects/v1'))[0]?.createTime).toBe(Date.parse(String(object?.createTime)));
  session.simulator.raiseAlarm({ sourceObjName: 'x', sourcePropName: 'y', raisedMs: Date.UTC(2024, 0, 1) });
  expect((await list('alarms/v1/current'))[0]?.startTime).toBe('2024-01-01 08:00:00');
});
