import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reject } from '../../../src/ledger/rejects/rejects.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const HOUR = 3_600e6;
const DAY_ONE = Date.UTC(2024, 4, 1) * 1000;

async function nowUs(): Promise<number> {
  const { rows } = await opened.db.query('select now() as now');
  return rows[0]?.now as number;
}

function manyOf(stream: string, count: number, from = 0): Reject[] {
  return Array.from({ length: count }, (_, i) => ({
    stream,
    kind: 'record',
    key: `k${from + i}`,
    reason: 'broken',
  }));
}

test('equal rejects are one row with a count, and a settled one is opened anew', async () => {
  const { rejects } = opened.ledger;
  const reject = {
    stream: 'users',
    kind: 'record',
    key: 'k'.repeat(10_000),
    reason: 'no username',
    sample: { n: 2n ** 60n },
  };
  await rejects.add([reject, reject, { ...reject, key: 'other', count: 5 }]);
  await rejects.add([reject]);
  const list = await rejects.list({ stream: 'users' });
  expect(list.map(({ key, count }) => [key.length, count])).toEqual(
    expect.arrayContaining([
      [10_000, 3],
      [5, 5],
    ]),
  );
  expect(await rejects.countOpen()).toEqual(new Map([['users', 2]]));
  const other = list.filter(({ key }) => key === 'other');
  expect(await rejects.resolve(other)).toEqual(new Set(other.map(({ id }) => id)));
  expect(await rejects.countOpen()).toEqual(new Map([['users', 1]]));
  await rejects.add([{ ...reject, key: 'other' }]);
  expect(await rejects.countOpen()).toEqual(new Map([['users', 2]]));
  expect((await rejects.list({ stream: 'users', state: 'settled' })).map(({ count }) => count)).toEqual([5]);
  expect(await rejects.list({ stream: 'users', state: 'all' })).toHaveLength(3);
});

test('a case is told in full, and the list can be narrowed', async () => {
  const { rejects } = opened.ledger;
  await rejects.add([
    { stream: 'narrow', kind: 'record', key: 'a', reason: 'r', sample: { name: null } },
    { stream: 'narrow', kind: 'postgres', key: 'b', reason: 'r' },
  ]);
  const [record] = await rejects.list({ stream: 'narrow', kind: 'record' });
  expect(await rejects.get(record?.id ?? 0)).toEqual(record);
  expect(record).toMatchObject({ key: 'a', sample: { name: null }, resolved: false, resolvedAt: undefined });
  expect((await rejects.list({ kind: 'postgres' })).map(({ key }) => key)).toEqual(['b']);
  expect(await rejects.list({ stream: 'narrow', limit: 1 })).toHaveLength(1);
  expect(await rejects.get(123_456_789)).toBeUndefined();
});

test('a case that was met again meanwhile is not closed', async () => {
  const { rejects } = opened.ledger;
  const reject = { stream: 'again', kind: 'point', key: 'pump.temp', reason: 'no time' };
  await rejects.add([reject]);
  const before = await rejects.list({ stream: 'again' });
  await rejects.add([reject]);
  expect(await rejects.resolve(before)).toEqual(new Set());
  expect(await rejects.resolve(await rejects.list({ stream: 'again' }))).toEqual(
    new Set(before.map(({ id }) => id)),
  );
});

test('settling closes what was last met before the scan, and nothing else', async () => {
  const { rejects } = opened.ledger;
  const [old, both, fresh] = ['old', 'both', 'fresh'].map((key) => ({
    stream: 'settling',
    kind: 'record',
    key,
    reason: 'broken',
  })) as [Reject, Reject, Reject];
  await rejects.add([old, both, { ...old, stream: 'bystander' }]);
  const beforeUs = await nowUs();
  await rejects.add([both, fresh]);
  expect(await rejects.settle({ stream: 'settling', beforeUs })).toBe(1);
  expect((await rejects.list({ stream: 'settling' })).map(({ key }) => key).sort()).toEqual([
    'both',
    'fresh',
  ]);
  expect(await rejects.list({ stream: 'bystander' })).toHaveLength(1);
  expect(await rejects.settle({ stream: 'settling', beforeUs: await nowUs(), keys: ['both', 'none'] })).toBe(
    1,
  );
  expect((await rejects.list({ stream: 'settling' })).map(({ key }) => key)).toEqual(['fresh']);
});

test('rejects beyond the bound are counted together, and none is lost', async () => {
  const { rejects } = opened.ledger;
  const many = manyOf('flood', 10_500);
  await rejects.add(many);
  await rejects.add(many.slice(0, 100));
  const { rows } = await opened.db.query(
    "select count(*) as rows, sum(count)::int as count from plantsync.rejects where stream = 'flood'",
  );
  expect(rows).toEqual([{ rows: 10_001, count: 10_600 }]);
});

test('beyond the bound a known case is still counted as itself, so that settling does not close it', async () => {
  const { rejects } = opened.ledger;
  await rejects.add(manyOf('full', 10_000));
  const beforeUs = await nowUs();
  await rejects.add([...manyOf('full', 2, 9_998), ...manyOf('full', 3, 50_000)]);
  await rejects.settle({ stream: 'full', beforeUs });
  const open = (await rejects.list({ stream: 'full' })).map(({ key, count }) => [key, count]);
  expect(open.sort()).toEqual([
    ['*', 3],
    ['k9998', 2],
    ['k9999', 2],
  ]);
});

test('of settled cases the newest 10,000 of a stream are kept', async () => {
  const { rejects } = opened.ledger;
  await opened.db.query(
    `insert into plantsync.rejects (stream, kind, key, reason, count, resolved_at)
     select 'churn', 'record', 'k' || i, 'broken', 1, now() - make_interval(secs => i) from generate_series(1, 10500) as i`,
  );
  await rejects.add(manyOf('churn', 5));
  expect(await rejects.settle({ stream: 'churn', beforeUs: (await nowUs()) + HOUR })).toBe(5);
  const kept = await rejects.list({ stream: 'churn', state: 'settled', limit: 20_000 });
  expect(kept).toHaveLength(10_000);
  expect(kept.filter(({ lastAt, resolvedAt = 0 }) => resolvedAt >= lastAt)).toHaveLength(5);
});

test('ranges of refused points are joined, and too many of them become the one around all', async () => {
  const { rejects } = opened.ledger;
  const at = (hour: number) => ({ from: DAY_ONE + hour * HOUR + 1, to: DAY_ONE + (hour + 1) * HOUR + 1 });
  const reject = { stream: 'history', kind: 'influx', key: 'pump.temp', reason: 'field type conflict' };
  const ranges = async () => (await rejects.list({ stream: 'history' }))[0]?.ranges;
  await rejects.add([{ ...reject, key: 'elsewhere.temp' }]);
  expect(await ranges()).toBeUndefined();
  await rejects.add([reject]);
  await rejects.add([
    { ...reject, range: at(0) },
    { ...reject, range: at(5) },
  ]);
  await rejects.add([{ ...reject, range: at(1) }, reject]);
  expect(await ranges()).toEqual([{ from: at(0).from, to: at(1).to }, at(5)]);
  const [kept] = await rejects.list({ stream: 'history' });
  expect(kept).toMatchObject({ key: 'pump.temp', count: 5 });
  await rejects.noteRanges(kept?.id ?? 0, [at(7)]);
  expect(await ranges()).toEqual([at(7)]);
  const apart = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...reject, range: at(from + 2 * i) }));
  await rejects.add(apart(10, 60));
  expect(await ranges()).toHaveLength(61);
  await rejects.add(apart(130, 60));
  expect(await ranges()).toEqual([{ from: at(7).from, to: at(248).to }]);
  await rejects.add(apart(1_000, 110));
  expect(await ranges()).toHaveLength(2);
});

test('a sample with what JSON in Postgres cannot hold is kept, with U+FFFD in its place', async () => {
  const sample = { text: 'a\u0000b', half: '\ud83d!', whole: '\u{1f4a7}', path: '\\u0000', 'k\u0000': 1 };
  await opened.ledger.rejects.add([
    { stream: 'awkward', kind: 'record', key: 'nul\u0000', reason: 'odd', sample },
    { stream: 'awkward', kind: 'record', key: 'nul\ufffd', reason: 'odd', sample },
  ]);
  const [kept, ...others] = await opened.ledger.rejects.list({ stream: 'awkward' });
  expect(others).toEqual([]);
  expect(kept).toMatchObject({ key: 'nul\ufffd', count: 2 });
  expect(kept?.sample).toEqual({
    text: 'a\ufffdb',
    half: '\ufffd!',
    whole: '\u{1f4a7}',
    path: '\\u0000',
    'k\ufffd': 1,
  });
});

test('a dismissed case keeps its note, and opens again when it is met again', async () => {
  const { rejects } = opened.ledger;
  const reject = { stream: 'dismissed', kind: 'record', key: 'k', reason: 'no name' };
  await rejects.add([reject, { ...reject, key: 'other' }]);
  const [first] = (await rejects.list({ stream: 'dismissed' })).filter(({ key }) => key === 'k');
  const id = first?.id ?? 0;
  expect(await rejects.dismiss([id, 999_999_999], 'ann: a test person')).toEqual(new Set([id]));
  expect(await rejects.dismiss([id], 'bob')).toEqual(new Set());
  expect(await rejects.get(id)).toMatchObject({
    dismissed: true,
    resolved: true,
    note: 'ann: a test person',
  });
  expect((await rejects.list({ stream: 'dismissed' })).map(({ key }) => key)).toEqual(['other']);
  expect(await rejects.list({ stream: 'dismissed', state: 'dismissed' })).toMatchObject([{ id }]);
  await rejects.add([reject]);
  const again = (await rejects.list({ stream: 'dismissed' })).find(({ key }) => key === 'k');
  expect(again).toMatchObject({ dismissed: false, note: undefined, count: 1 });
  expect(again?.id).not.toBe(id);
});

test('pages of cases follow each other without a gap, also where cases were met at one instant', async () => {
  const { rejects } = opened.ledger;
  await rejects.add(manyOf('paged', 7));
  const all = await rejects.list({ stream: 'paged' });
  const pages: number[] = [];
  for (let after: (typeof all)[number] | undefined, page = all; page.length > 0; ) {
    page = await rejects.list({ stream: 'paged', limit: 3, after });
    pages.push(...page.map(({ id }) => id));
    after = page.at(-1);
  }
  expect(pages).toEqual(all.map(({ id }) => id));
});
