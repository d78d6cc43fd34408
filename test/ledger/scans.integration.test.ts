import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { LoadedList } from '../../src/ledger/reads.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const HOUR_MS = 3_600_000;
const whole = { complete: true, stable: true, pages: 1, records: 1 };

async function ageScan(id: number, hours: number): Promise<void> {
  await opened.db.query(
    'update plantsync.scans set started_at = now() - make_interval(hours => $2) where id = $1',
    [id, hours],
  );
}

test('scans are told newest first, and one that did not end is neither complete nor stable', async () => {
  const { scans } = opened.ledger;
  const first = await scans.begin('persons');
  await scans.finish(first.id, { complete: true, stable: false, pages: 3, records: 250 });
  const second = await scans.begin('persons');
  expect(await scans.readLast('persons', 5)).toMatchObject([
    {
      id: second.id,
      startedAt: second.startedAt,
      complete: false,
      stable: false,
      finishedAt: undefined,
    },
    { id: first.id, complete: true, stable: false, pages: 3, records: 250 },
  ]);
});

test('the newest scan is taken up if it never finished and is young enough, and only if asked', async () => {
  const { scans } = opened.ledger;
  const { id, startedAt } = await scans.begin('objects');
  expect(await scans.begin('objects', { resumeWithinMs: HOUR_MS })).toEqual({ id, startedAt, resumed: true });
  expect(await scans.begin('users', { resumeWithinMs: HOUR_MS })).toMatchObject({ resumed: false });
  await ageScan(id, 2);
  const second = await scans.begin('objects', { resumeWithinMs: HOUR_MS });
  expect(second).toMatchObject({ resumed: false });
  expect(second.id).toBeGreaterThan(id);
  expect(await scans.begin('objects')).toMatchObject({ resumed: false });
});

test('a scan that began under other settings is not taken up', async () => {
  const { scans } = opened.ledger;
  const { id } = await scans.begin('persons', { settings: '{"keepRaw":false}' });
  const resume = (settings: string) => scans.begin('persons', { resumeWithinMs: HOUR_MS, settings });
  expect(await resume('{"keepRaw":false}')).toMatchObject({ id, resumed: true });
  const other = await resume('{"keepRaw":true}');
  expect(other).toMatchObject({ resumed: false });
  expect(await resume('{"keepRaw":true}')).toMatchObject({ id: other.id, resumed: true });
  await scans.close('persons');
});

test('a scan that was overtaken by another is not taken up, and stays as it is', async () => {
  const { scans } = opened.ledger;
  const cut = await scans.begin('networks');
  const next = await scans.begin('networks');
  await scans.finish(next.id, whole);
  expect(await scans.begin('networks', { resumeWithinMs: HOUR_MS })).toMatchObject({ resumed: false });
  const last = await scans.readLast('networks', 3);
  expect(last.find(({ id }) => id === cut.id)?.finishedAt).toBeUndefined();
});

test('a closed scan is not taken up, and does not count as complete', async () => {
  const { scans } = opened.ledger;
  const cut = await scans.begin('org_trees');
  expect(await scans.close('org_trees')).toBe(1);
  expect(await scans.close('org_trees')).toBe(0);
  expect(await scans.begin('org_trees', { resumeWithinMs: HOUR_MS })).toMatchObject({ resumed: false });
  expect((await scans.readLast('org_trees', 2)).at(-1)).toMatchObject({ id: cut.id, complete: false });
});

test('only the newest thousand scans of a stream are kept', async () => {
  await opened.db.query(
    "insert into plantsync.scans (stream) select stream from generate_series(1, 1500) cross join (values ('often'), ('seldom')) as s (stream)",
  );
  const { id } = await opened.ledger.scans.begin('often');
  const { rows } = await opened.db.query(
    "select stream, count(*) as n, max(id) = $1 as newest from plantsync.scans where stream in ('often', 'seldom') group by stream order by stream",
    [id],
  );
  expect(rows).toEqual([
    { stream: 'often', n: 1001, newest: true },
    { stream: 'seldom', n: 1500, newest: false },
  ]);
});

test('parents are noted with the time at which their transaction began, whatever their names', async () => {
  const { reads } = opened.ledger;
  const names = ['a', '物 #1', 'n'.repeat(10_000), 'quote " \\ { , }', ''];
  const beganAt = await inTransaction(opened.db, async (tx) => {
    const { rows } = await tx.query('select now() as now');
    await reads.note('object_details', [...names, 'a'], tx);
    return rows[0]?.now as number;
  });
  expect(await reads.list('object_details')).toEqual(new Map(names.map((name) => [name, beganAt])));
  expect(await reads.list('user_details')).toEqual(new Map());
  await inTransaction(opened.db, (tx) => reads.note('object_details', ['a'], tx));
  const again = await reads.list('object_details');
  expect(again.get('a')).toBeGreaterThan(beganAt);
  expect(again.get('')).toBe(beganAt);
});

test('what was noted goes with the transaction of the rows', async () => {
  const { reads } = opened.ledger;
  const failing = inTransaction(opened.db, async (tx) => {
    await reads.note('rolled_back', ['a'], tx);
    throw new Error('the rows were refused');
  });
  await expect(failing).rejects.toThrow('the rows were refused');
  expect(await reads.list('rolled_back')).toEqual(new Map());
});

test('many writers note thousands of the same parents without a deadlock', async () => {
  const { reads } = opened.ledger;
  const parents = Array.from({ length: 20_000 }, (_, i) => `o${i}`);
  const orders = [parents, parents.toReversed(), parents, parents.toReversed()];
  // With one attempt only, a deadlock is not hidden by a second one.
  await Promise.all(
    orders.map((order) =>
      inTransaction(opened.db, (tx) => reads.note('object_properties', order, tx), { attempts: 1 }),
    ),
  );
  expect((await reads.list('object_properties')).size).toBe(20_000);
});

test('some parents or all of a stream are forgotten', async () => {
  const { reads } = opened.ledger;
  await inTransaction(opened.db, (tx) => reads.note('forgetful', ['a', 'b', 'c'], tx));
  await inTransaction(opened.db, (tx) => reads.note('bystander', ['a'], tx));
  expect(await reads.forget('forgetful', ['b', 'x'])).toBe(1);
  expect([...(await reads.list('forgetful')).keys()].sort()).toEqual(['a', 'c']);
  expect(await reads.forget('forgetful')).toBe(2);
  expect((await reads.list('bystander')).size).toBe(1);
});

describe('what a list held', () => {
  const noteAll = (stream: string, lists: readonly LoadedList[]) =>
    inTransaction(opened.db, (tx) => opened.ledger.reads.noteContents(stream, lists, tx));
  const contentOf = async (stream: string) =>
    (await opened.ledger.reads.listContents(stream, ['a'])).get('a');
  const load = (version: string, replaces?: string) => ({
    parent: 'a',
    content: `held by ${version}`,
    version,
    replaces,
  });

  it('is known until some of its rows are loaded, or until it is forgotten', async () => {
    const { reads } = opened.ledger;
    await noteAll('held', [load('v1'), { ...load('v1'), parent: 'odd "\\ 物' }]);
    expect(await contentOf('held')).toEqual({ content: 'held by v1', version: 'v1' });
    await inTransaction(opened.db, (tx) => reads.note('held', ['a'], tx));
    expect(await contentOf('held')).toEqual({ content: 'held by v1', version: 'v1' });
    await inTransaction(opened.db, (tx) => reads.noteParts('held', [{ parent: 'a', version: 'v2' }], tx));
    expect(await contentOf('held')).toEqual({ content: undefined, version: 'v2' });
    await noteAll('held', [load('v3', 'v2')]);
    expect((await contentOf('held'))?.content).toBe('held by v3');
    await reads.forgetContents('held');
    expect((await reads.listContents('held', ['odd "\\ 物'])).get('odd "\\ 物')?.content).toBeUndefined();
    expect((await contentOf('held'))?.content).toBeUndefined();
  });

  it('is not known where two loads of the list ran at once, whatever their order', async () => {
    const { reads } = opened.ledger;
    await noteAll('raced', [load('v1')]);
    await noteAll('raced', [load('v2', 'v1')]);
    await noteAll('raced', [load('other', 'v1')]);
    expect((await contentOf('raced'))?.content).toBeUndefined();
    // The first load has written a part, and the other one the whole list, before the first one ends.
    await inTransaction(opened.db, (tx) => reads.noteParts('raced', [{ parent: 'a', version: 'part' }], tx));
    await noteAll('raced', [load('whole', 'other')]);
    await noteAll('raced', [load('end', 'part')]);
    expect((await contentOf('raced'))?.content).toBeUndefined();
    // A commit whose answer was lost is tried again.
    for (const _ of [1, 2]) await noteAll('raced', [load('again', 'end')]);
    expect((await contentOf('raced'))?.content).toBe('held by again');
  });

  it('does not make a list count as read of which only some rows were loaded', async () => {
    const { reads } = opened.ledger;
    await inTransaction(opened.db, (tx) => reads.noteParts('begun', [{ parent: 'a', version: 'v1' }], tx));
    expect(await reads.list('begun')).toEqual(new Map());
  });
});
