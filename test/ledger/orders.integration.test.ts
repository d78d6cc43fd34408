import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

test('an order is taken by one process, oldest first, and keeps its result', async () => {
  const { orders } = opened.ledger;
  const first = await orders.ask('backfill', { from: 'a' });
  const second = await orders.ask('backfill', { from: 'b' });
  const other = createLedger(opened.another(), defaultSchemas).orders;
  const takers = [orders, other, orders];
  const taken = await Promise.all(takers.map((each) => each.take('backfill')));
  expect(taken.flatMap((order) => order?.id ?? []).sort()).toEqual([first, second]);
  expect(await orders.take('replay')).toBeUndefined();
  const takerOf = (id: number) => takers[taken.findIndex((order) => order?.id === id)];
  await takerOf(first)?.finish(first, { status: 'partial', result: { runs: [] }, error: 'a window' });
  expect(await orders.get(first)).toMatchObject({
    kind: 'backfill',
    body: { from: 'a' },
    status: 'partial',
    result: { runs: [] },
    error: 'a window',
  });
  expect((await orders.list('backfill')).map(({ id }) => id)).toEqual([second, first]);
  const before = (await orders.get(second))?.askedAt;
  expect((await orders.list('backfill', { before })).map(({ id }) => id)).toEqual([first]);
  await takerOf(second)?.finish(second, { status: 'done' });
});

test('an order whose process is gone waits again, and the next process takes it', async () => {
  const { orders } = opened.ledger;
  const id = await orders.ask('replay', { ids: [1] });
  expect(await createLedger(opened.another(), defaultSchemas).orders.take('replay')).toMatchObject({ id });
  expect(await orders.take('replay')).toBeUndefined();
  await opened.db.query('update plantsync.orders set lease = 0 where id = $1', [id]);
  expect(await orders.get(id)).toMatchObject({ status: 'waiting' });
  expect(await orders.take('replay')).toMatchObject({ id, status: 'running' });
  await orders.giveBack(id);
  expect(await orders.take('replay')).toMatchObject({ id });
  await orders.finish(id, { status: 'done' });
});

test('an order that waits is cancelled at once; one that runs learns of it, and one that ended stays', async () => {
  const { orders } = opened.ledger;
  const waiting = await orders.ask('backfill', {});
  expect(await orders.cancel(waiting)).toBe(true);
  expect(await orders.get(waiting)).toMatchObject({ status: 'cancelled' });
  expect(await orders.take('backfill')).toBeUndefined();
  const running = await orders.ask('backfill', {});
  await orders.take('backfill');
  expect(await orders.cancel(running)).toBe(true);
  expect(await orders.get(running)).toMatchObject({ status: 'running', isCancelAsked: true });
  await orders.finish(running, { status: 'cancelled' });
  expect(await orders.cancel(running)).toBe(false);
  expect(await orders.cancel(999_999)).toBe(false);
});
