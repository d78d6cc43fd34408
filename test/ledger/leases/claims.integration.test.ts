import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claim } from '../../../src/ledger/leases/claims.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const claim = (seriesIds: number[], from: number, to: number, stream = 'history'): Claim => ({
  stream,
  seriesIds,
  range: { from: from * 1e6, to: to * 1e6 },
  stores: ['postgres:plant'],
});

/** Returns the claims of another process. */
const claimsElsewhere = (db = opened.another()) => createLedger(db, defaultSchemas).claims;

/** Returns for each claim whether another filling could take it just now. */
async function couldTake(...asked: Claim[]): Promise<boolean[]> {
  const other = opened.ledger.claims.begin();
  const answers: boolean[] = [];
  for (const each of asked) answers.push((await other.take(each)) !== undefined);
  await other.end();
  return answers;
}

test('a window that shares a series and a moment with a claimed one is refused to others, until it is given back', async () => {
  const mine = opened.ledger.claims.begin();
  const taken = await mine.take(claim([1, 2], 0, 10));
  expect(taken).toBeDefined();
  expect(await mine.take(claim([1, 2], 5, 15)), 'of the same filling').toBeDefined();
  expect(
    await couldTake(
      claim([2, 3], 9, 20),
      claim([2, 3], 15, 20),
      claim([3], 0, 10),
      claim([1], 0, 10, 'history/300s/mean'),
    ),
  ).toEqual([false, true, true, true]);
  await mine.release([taken?.id ?? 0]);
  expect(await couldTake(claim([1], 0, 5), claim([1], 4, 6))).toEqual([true, false]);
  await mine.end();
  expect(await couldTake(claim([1], 4, 6))).toEqual([true]);
});

test('fillings of another process are kept off like those of the own', async () => {
  const other = claimsElsewhere().begin();
  await other.take(claim([5], 0, 10));
  expect(await couldTake(claim([5], 9, 20), claim([6], 0, 10))).toEqual([false, true]);
  await other.end();
  expect(await couldTake(claim([5], 9, 20))).toEqual([true]);
});

test('whoever takes a window is told what its stores lack of it', async () => {
  const { claims, coverage } = opened.ledger;
  const second = 1_000_000;
  const cover = (store: string, seriesIds: number[], from: number, to: number) =>
    coverage.add({ store, stream: 'history', seriesIds, range: { from: from * second, to: to * second } });
  await cover('postgres:plant', [21, 22], 0, 4);
  await cover('postgres:plant', [23], 0, 10);
  const claimant = claims.begin();
  const gapsOf = async (asked: Claim) => (await claimant.take(asked))?.gaps;
  expect(await gapsOf(claim([23, 22, 21], 2, 10))).toEqual([
    { seriesIds: [21, 22], gaps: [[{ from: 4 * second, to: 10 * second }]] },
  ]);
  expect(await gapsOf(claim([23], 2, 10)), 'nothing').toEqual([]);
  const both = { ...claim([23], 2, 10), stores: ['postgres:plant', 'influx:plant'] };
  expect(await gapsOf(both)).toEqual([
    { seriesIds: [23], gaps: [[], [{ from: 2 * second, to: 10 * second }]] },
  ]);
  await claimant.end();
});

test('a claim ends with the connection of its holder, who goes on with another lease', async () => {
  const { db, ledger } = opened;
  const killed = claimsElsewhere().begin();
  await killed.take(claim([7], 0, 10));
  const other = ledger.claims.begin();
  const takes = async (seriesId: number) => (await other.take(claim([seriesId], 0, 10))) !== undefined;
  expect(await takes(7)).toBe(false);
  await db.query(
    `select pg_terminate_backend(session) from plantsync.leases
     where id = (select lease from plantsync.claims where series_ids = '{7}')`,
  );
  await expect.poll(() => takes(7)).toBe(true);
  await other.end();
});

test('a claim ends without signs of life', async () => {
  const { db } = opened;
  const silent = claimsElsewhere().begin();
  await silent.take(claim([8], 0, 10));
  await db.query(
    `update plantsync.leases set until = clock_timestamp()
     where id = (select lease from plantsync.claims where series_ids = '{8}')`,
  );
  await expect.poll(() => couldTake(claim([8], 0, 10))).toEqual([true]);
  // Its session was ended with its lease, and the first attempt may meet the session that is ending.
  const isEnded = () =>
    silent.end().then(
      () => true,
      () => false,
    );
  await expect.poll(isEnded).toBe(true);
});

test('a filling that claims nothing asks nothing, and none leaves claims behind', async () => {
  const idle = opened.ledger.claims.begin();
  await idle.end();
  expect((await opened.db.query('select from plantsync.claims')).rows).toEqual([]);
});

test('nobody gives back the claims of another', async () => {
  const gone = claimsElsewhere().begin();
  const taken = await gone.take(claim([10], 0, 10));
  const claimant = claimsElsewhere().begin();
  expect(await claimant.take(claim([10], 0, 10))).toBeUndefined();
  await claimant.release([taken?.id ?? 0]);
  await claimant.end();
  expect(await couldTake(claim([10], 0, 10))).toEqual([false]);
  await gone.end();
});

test('whoever gives back late, when a crash has emptied the table, gives back nothing of others', async () => {
  const late = opened.ledger.claims.begin();
  const { id = 0 } = (await late.take(claim([11], 0, 10))) ?? {};
  await opened.db.query('truncate plantsync.claims');
  const other = claimsElsewhere().begin();
  expect(await other.take(claim([12], 0, 10))).toBeDefined();
  // Numbers are chosen at random, so the other one may have got the same.
  await opened.db.query('update plantsync.claims set id = $1', [id]);
  await late.release([id]);
  expect(await couldTake(claim([12], 0, 10))).toEqual([false]);
  await other.end();
  await late.end();
});
