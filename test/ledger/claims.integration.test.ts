import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claim } from '../../src/ledger/claims.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const claim = (seriesIds: number[], from: number, to: number, stream = 'history'): Claim => ({
  stream,
  seriesIds,
  range: { from: from * 1e6, to: to * 1e6 },
});

/** Whether another filling could take each of these just now. */
async function couldTake(...asked: Claim[]): Promise<boolean[]> {
  const other = opened.ledger.claims.begin();
  const answers: boolean[] = [];
  for (const each of asked) answers.push(await other.take(each));
  await other.end();
  return answers;
}

test('a window that shares a series and a moment with a claimed one is refused to others, until it is given back', async () => {
  const mine = opened.ledger.claims.begin();
  expect(await mine.take(claim([1, 2], 0, 10))).toBe(true);
  expect(await mine.take(claim([1, 2], 5, 15)), 'of the same filling').toBe(true);
  expect(
    await couldTake(
      claim([2, 3], 9, 20),
      claim([2, 3], 15, 20),
      claim([3], 0, 10),
      claim([1], 0, 10, 'history/300s/mean'),
    ),
  ).toEqual([false, true, true, true]);
  await mine.release(claim([1, 2], 0, 10));
  expect(await couldTake(claim([1], 0, 5), claim([1], 4, 6))).toEqual([true, false]);
  await mine.end();
  expect(await couldTake(claim([1], 4, 6))).toEqual([true]);
});

test('a claim ends with the connection of its holder, and without signs of life', async () => {
  const { db, ledger } = opened;
  const killed = ledger.claims.begin();
  await killed.take(claim([7], 0, 10));
  await db.query('select pg_terminate_backend(session) from plantsync.claims where series_ids = $1', ['{7}']);
  await expect.poll(() => couldTake(claim([7], 0, 10))).toEqual([true]);
  await expect(killed.renew()).rejects.toThrow('claiming windows');
  await killed.end().catch(() => undefined);

  const silent = ledger.claims.begin();
  await silent.take(claim([8], 0, 10));
  await db.query("update plantsync.claims set until = now() - interval '1 second' where series_ids = $1", [
    '{8}',
  ]);
  expect(await couldTake(claim([8], 0, 10))).toEqual([true]);
  await silent.end();
});

test('a filling that claims nothing needs no connection, and leaves no claims behind', async () => {
  const idle = opened.ledger.claims.begin();
  await idle.renew();
  await idle.end();
  expect((await opened.db.query('select from plantsync.claims')).rows).toEqual([]);
});
