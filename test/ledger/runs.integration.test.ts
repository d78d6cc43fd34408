import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

test('runs are listed by stream, kind, status and time, in pages without a gap', async () => {
  const { runs } = opened.ledger;
  const ids: number[] = [];
  for (const kind of ['scan', 'increment', 'increment pump*/temp', 'increments', 'scan']) {
    const id = await runs.start({ stream: kind === 'scan' ? 'persons' : 'history', kind });
    ids.push(id);
    if (kind !== 'scan') await runs.finish(id, { status: 'done', summary: { points: { postgres: 3 } } });
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids;
  const listed = async (filter: Parameters<typeof runs.list>[0]) =>
    (await runs.list(filter)).map(({ id }) => id);
  expect(await listed({})).toEqual([e, d, c, b, a]);
  expect(await listed({ limit: 2 })).toEqual([e, d]);
  expect(await listed({ limit: 2, after: d })).toEqual([c, b]);
  expect(await listed({ stream: 'persons' })).toEqual([e, a]);
  expect(await listed({ kind: 'increment' })).toEqual([c, b]);
  expect(await listed({ status: 'running' })).toEqual([e, a]);
  await opened.db.query('update plantsync.runs set lease = 0 where id = $1', [a]);
  expect(await listed({ status: 'lost' })).toEqual([a]);
  expect(await listed({ status: 'running' })).toEqual([e]);
  const third = await runs.get(c);
  expect(third).toMatchObject({ status: 'done', pid: process.pid, summary: { points: { postgres: 3 } } });
  expect(await listed({ from: third?.startedAt ?? 0 })).toEqual([e, d, c]);
  expect(await listed({ to: third?.startedAt ?? 0 })).toEqual([b, a]);
  expect(await runs.get(999_999)).toBeUndefined();
});

test('a run tells what it was asked for and how far it is, and learns that it is cancelled', async () => {
  const { runs } = opened.ledger;
  const id = await runs.start({ stream: 'history', kind: 'backfill', asked: { from: 'x' } });
  expect(await runs.noteProgress(id, { done: 1 })).toBe(false);
  expect(await runs.get(id)).toMatchObject({ asked: { from: 'x' }, progress: { done: 1 } });
  await runs.askToCancel([id]);
  expect(await runs.noteProgress(id, undefined)).toBe(true);
  expect(await runs.get(id)).toMatchObject({ progress: { done: 1 }, isCancelAsked: true });
  await runs.finish(id, { status: 'interrupted', progress: { done: 2 } });
  expect(await runs.get(id)).toMatchObject({ progress: { done: 2 }, status: 'interrupted' });
});

test('runs that brought nothing can be left out, and are counted', async () => {
  const { runs } = opened.ledger;
  const stream = 'current';
  const record = async (status: 'done' | 'partial', summary: object) => {
    const id = await runs.start({ stream, kind: 'delivery' });
    await runs.finish(id, { status, summary });
    return id;
  };
  const nothing = { records: 0, points: {}, deleted: 0, partRows: 0 };
  await record('done', nothing);
  await record('done', { ...nothing, points: { influx: 0 } });
  const news = [
    await record('done', { ...nothing, points: { influx: 3 } }),
    await record('done', { ...nothing, records: 1 }),
    await record('done', { ...nothing, deleted: 1 }),
    await record('partial', nothing),
    await runs.start({ stream, kind: 'delivery' }),
  ];
  expect((await runs.list({ stream, leaveIdle: true })).map(({ id }) => id)).toEqual(news.reverse());
  expect(await runs.countIdle({ stream })).toBe(2);
  expect(await runs.countIdle({ stream, kind: 'poll' })).toBe(0);
  expect(await runs.list({ stream })).toHaveLength(7);
});
