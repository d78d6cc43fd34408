import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const DAY_MS = 86_400_000;

async function addChanges(table: string, kind: string, { count = 1, daysAgo = 0 }): Promise<void> {
  await opened.db.query(
    `insert into plantsync.changes (table_name, key, kind, before, at)
     select $1, '{"name": "a"}', $2, '{}', now() - make_interval(days => $4) from generate_series(1, $3)`,
    [table, kind, count, daysAgo],
  );
}

test('changes are counted by table and kind since an instant', async () => {
  await addChanges('objects', 'updated', { count: 3 });
  await addChanges('objects', 'deleted', {});
  await addChanges('persons', 'restored', { count: 2 });
  await addChanges('persons', 'updated', { daysAgo: 2 });
  await addChanges('networks', 'updated', { daysAgo: 2 });
  const { rows } = await opened.db.query("select now() - interval '1 day' as since");
  expect(await opened.ledger.changes.countSince(rows[0]?.since as number)).toEqual(
    new Map([
      ['objects', { updated: 3, deleted: 1, restored: 0 }],
      ['persons', { updated: 0, deleted: 0, restored: 2 }],
    ]),
  );
});

test('changes older than the retention are forgotten, however many they are', async () => {
  await addChanges('old', 'updated', { count: 25_000, daysAgo: 31 });
  await addChanges('old', 'deleted', { count: 2, daysAgo: 29 });
  expect(await opened.ledger.changes.prune(30 * DAY_MS)).toBe(25_000);
  expect(await opened.ledger.changes.prune(30 * DAY_MS)).toBe(0);
  expect((await opened.ledger.changes.countSince(0)).get('old')).toEqual({
    updated: 0,
    deleted: 2,
    restored: 0,
  });
});
