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

/** Makes a table of the directory with rows, as a scan leaves them. */
async function makeTable(name: string, rows: readonly [key: string, value: string][]): Promise<void> {
  await opened.db.query(`create table plant.${name} (name text primary key, show_name text, n int)`);
  for (const [key, value] of rows)
    await opened.db.query(`insert into plant.${name} values ($1, $2, 1)`, [key, value]);
}

async function note(table: string, key: string, before: object, kind = 'updated'): Promise<void> {
  await opened.db.query(
    `insert into plantsync.changes (table_name, key, kind, before) values ($1, $2, $3, $4)`,
    [table, JSON.stringify({ name: key }), kind, JSON.stringify(before)],
  );
}

test('each change tells the columns it changed: from the next change of the row, else from the row', async () => {
  await makeTable('pumps', [
    ['p1', 'third'],
    ['p2', 'other'],
  ]);
  await note('pumps', 'p1', { name: 'p1', show_name: 'first', n: 1, changed_at: 'a' });
  await note('pumps', 'p2', { name: 'p2', show_name: 'other', n: null });
  await note('pumps', 'p1', { name: 'p1', show_name: 'second', n: 1, changed_at: 'b' }, 'deleted');
  await note('gone_table', 'x', { name: 'x', show_name: 'y' });
  const { changes, next } = await opened.ledger.changes.list({ table: 'pumps' });
  expect(next).toBeUndefined();
  expect(changes.map(({ key, kind, columns }) => [key.name, kind, columns])).toEqual([
    ['p1', 'deleted', [{ name: 'show_name', before: 'second', after: 'third' }]],
    ['p2', 'updated', [{ name: 'n', before: null, after: 1 }]],
    ['p1', 'updated', [{ name: 'show_name', before: 'first', after: 'second' }]],
  ]);
  expect((await opened.ledger.changes.list({ table: 'gone_table' })).changes).toMatchObject([
    { key: { name: 'x' }, columns: [] },
  ]);
});

test('changes are narrowed by key, kind and time, in pages without a gap', async () => {
  await makeTable('valves', []);
  for (let i = 0; i < 7; i += 1) await note('valves', `v${i % 2}`, { name: `v${i % 2}`, show_name: `${i}` });
  const { changes } = opened.ledger;
  const all = (await changes.list({ table: 'valves' })).changes;
  expect(all).toHaveLength(7);
  const read: number[] = [];
  for (let page = await changes.list({ table: 'valves', limit: 2 }); ; ) {
    read.push(...page.changes.map(({ id }) => id));
    if (page.next === undefined) break;
    page = await changes.list({ table: 'valves', limit: 2, after: page.next });
  }
  expect(read).toEqual(all.map(({ id }) => id));
  expect((await changes.list({ table: 'valves', key: 'v1' })).changes).toHaveLength(3);
  expect(await changes.list({ table: 'valves', key: 'v9' })).toEqual({ changes: [], next: undefined });
  expect((await changes.list({ table: 'valves', kind: 'restored' })).changes).toEqual([]);
  expect((await changes.list({ table: 'valves', from: all[2]?.at })).changes).toHaveLength(3);
  expect((await changes.list({ table: 'valves', to: all[2]?.at })).changes).toHaveLength(4);
});
