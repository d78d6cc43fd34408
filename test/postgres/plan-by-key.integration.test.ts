import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { deleteOrphans } from '../../src/load/rows/delete-rows.ts';
import { ensureTables } from '../../src/load/rows/ensure-tables.ts';
import { loadRows } from '../../src/load/rows/load-rows.ts';
import { targetsOf } from '../../src/load/rows/row-targets.ts';
import { createPostgresStore } from '../../src/load/stores/postgres/create-store.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { pointsOf } from '../load/test-data.ts';
import { columnOf, streamOf } from '../load/test-streams.ts';
import { reportStatistics } from '../support/servers/report-statistics.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  // All statements go through one session, so that it can be told to report what it did.
  db = openPostgres({ ...made.options, maxConnections: 1 }, silentLog);
  await migrate(db, defaultSchemas);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

/** Counts how often a table was read from its first row to its last, and the entries read of its indexes. */
async function countScans(table: string): Promise<{ sequential: number; entries: number }> {
  await reportStatistics(db);
  const { rows } = await db.query<{ sequential: number; entries: number }>(
    `select seq_scan::int as sequential,
       (select sum(idx_tup_read)::int from pg_stat_user_indexes as i where i.relid = t.relid) as entries
     from pg_stat_user_tables as t where relname = $1`,
    [table],
  );
  return rows[0] ?? { sequential: -1, entries: -1 };
}

/** Counts what the work reads of a table. */
async function scansOf(table: string, work: () => Promise<unknown>) {
  const before = await countScans(table);
  await work();
  const after = await countScans(table);
  return { sequential: after.sequential - before.sequential, entries: after.entries - before.entries };
}

test('rows of deleted parents are looked up, also where the planner believes that all rows have one parent', async () => {
  const owners = streamOf('owners', { name: 'text' });
  const owned = streamOf(
    'owned',
    { owner: 'text', name: 'text' },
    {
      key: ['owner', 'name'],
      parent: { stream: owners, path: { name: 'name' } },
      columns: [columnOf('owner', 'text', 'parent.name'), columnOf('name')],
    },
  );
  for (const stream of [owners, owned]) await ensureTables(db, 'plant', stream, { keepRaw: false });
  await db.query('alter table plant.owned set (autovacuum_enabled = off)');
  const insert = (from: number, to: number) =>
    db.query(
      `insert into plant.owned (owner, name) select 'o' || i / 20, 'p' || i % 20 from generate_series(${from}, ${to}) as i`,
    );
  await insert(0, 19);
  await db.query('analyze plant.owned');
  await insert(20, 99_999);
  await db.query(
    `insert into plant.owners (name, deleted_at) select 'o' || i, case when i < 50 then now() end
     from generate_series(0, 4999) as i`,
  );
  let deleted = 0;
  const scans = await scansOf('owned', async () => {
    deleted = await deleteOrphans(db, defaultSchemas, owned);
  });
  expect(deleted).toBe(1_000);
  expect(scans.sequential).toBe(0);
  expect(scans.entries).toBeLessThan(10_000);
});

test('rows that a list no longer has are looked up in it, also where an index of all live rows has no statistics', async () => {
  const listed = streamOf(
    'listed',
    { owner: 'text', name: 'text' },
    { key: ['owner', 'name'], columns: [columnOf('owner'), columnOf('name')], searched: true },
  );
  await ensureTables(db, 'plant', listed, { keepRaw: false });
  await db.query('alter table plant.listed set (autovacuum_enabled = off)');
  await db.query(
    `insert into plant.listed (owner, name) select 'o' || i / 20, 'p' || i % 20 from generate_series(0, 99999) as i`,
  );
  const target = targetsOf(listed, { keepRaw: false, filter: null }).main;
  // Each of a hundred lists has lost all of its rows but one.
  const owners = Array.from({ length: 100 }, (_, k) => `o${k}`);
  const rows = owners.map((owner) => [owner, 'p0', null]);
  const whole = {
    columns: ['owner'],
    sets: owners.map((owner) => [owner]),
    alsoSeen: [],
    missing: 'delete',
  } as const;
  let loaded: unknown;
  const scans = await scansOf('listed', async () => {
    loaded = await loadRows(db, defaultSchemas, [{ target, rows, whole }]);
  });
  expect(loaded).toMatchObject([{ deleted: 1_900 }]);
  expect(scans.sequential).toBe(0);
  expect(scans.entries).toBeLessThan(20_000);
});

test('points that may be there already are looked up in their month', async () => {
  const store = createPostgresStore({ db, schema: 'plant' });
  await store.prepare();
  const startUs = Date.UTC(2026, 2, 1) * 1000;
  const points = (count: number) =>
    pointsOf(
      1,
      Array.from({ length: count }, (_, k) => [startUs + k * 1e6, k] as const),
    );
  const range = { from: startUs, to: startUs + 86_400e6 };
  const write = (count: number) =>
    store.write({ stream: 'history', range, series: [points(count)], fresh: false }, async () => undefined);
  await write(20_000);
  await db.query('analyze plant.samples');
  const { rows } = await db.query<{ name: string }>(
    'select distinct tableoid::regclass::text as name from plant.samples',
  );
  const month = rows[0]?.name.replace(/^.*\./, '') ?? '';
  let written: unknown;
  const scans = await scansOf(month, async () => {
    written = await write(15_000);
  });
  expect(written).toMatchObject({ written: 0 });
  expect(scans.sequential).toBe(0);
});
