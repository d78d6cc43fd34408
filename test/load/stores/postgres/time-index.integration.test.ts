import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../../src/ledger/run-migrations.ts';
import { createPostgresStore } from '../../../../src/load/stores/postgres/create-store.ts';
import type { PostgresStore } from '../../../../src/load/stores/store-kind.ts';
import type { Database } from '../../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../../src/postgres/schemas.ts';
import { openTestDatabase, pointsOf } from '../../test-data.ts';

const MONTHS = ['2026-01-15', '2026-02-15', '2026-03-15'];

async function openStore(): Promise<{ db: Database; store: PostgresStore }> {
  const { db, close } = await openTestDatabase();
  onTestFinished(close);
  return { db, store: createPostgresStore({ db, schema: 'plant' }) };
}

/** Writes a point of each of these days. */
function write(store: PostgresStore, days: readonly string[]): Promise<unknown> {
  const series = [
    pointsOf(
      1,
      days.map((day) => [Date.parse(day) * 1000, 1] as const),
    ),
  ];
  return store.write(
    { stream: 'history', range: { from: 0, to: 4e15 }, series, fresh: true },
    async () => undefined,
  );
}

/** Lists the tables with an index of times that can be used, and what is left unfinished. */
async function readIndexes(db: Database): Promise<unknown[]> {
  const { rows } = await db.query(
    `select c.relname || case when i.indisvalid or c.relkind = 'p' then '' else ' unfinished' end as table
     from pg_index as i join pg_class as c on c.oid = i.indrelid join pg_class as x on x.oid = i.indexrelid
     join pg_am as m on m.oid = x.relam where m.amname = 'brin' order by 1`,
  );
  return rows.map((row) => row.table);
}

test('each table of points has an index of times, and each month that begins later', async () => {
  const { db, store } = await openStore();
  await migrate(db, defaultSchemas);
  await store.prepare(['history/300s/mean']);
  await write(store, MONTHS.slice(0, 1));
  await db.query(`select plant.make_month('samples', '2026-02-01')`);
  expect(await readIndexes(db)).toEqual([
    ...['samples', 'samples_300s_mean', 'samples_polled', 'samples_y2026m01', 'samples_y2026m02'],
  ]);
  expect(await store.indexMonths()).toBe(0);
});

test('a table from before gets the index at once for new months, and for its old months when told', async () => {
  const { db, store } = await openStore();
  await store.prepare();
  await db.query('drop index plant.samples_at_idx');
  await write(store, MONTHS.slice(0, 2));
  expect(await readIndexes(db)).toEqual(['samples_polled']);
  const newer = createPostgresStore({ db, schema: 'plant' });
  await newer.prepare();
  await write(newer, MONTHS.slice(2));
  expect(await readIndexes(db)).toEqual(['samples', 'samples_polled', 'samples_y2026m03']);
  // What an attempt left that somebody killed.
  await db.query('create index samples_y2026m01_at_brin on plant.samples_y2026m01 using brin (at)');
  await db.query(
    `update pg_index set indisvalid = false where indexrelid = 'plant.samples_y2026m01_at_brin'::regclass`,
  );
  expect(await newer.indexMonths()).toBe(2);
  expect(await readIndexes(db)).toEqual([
    ...['samples', 'samples_polled', 'samples_y2026m01', 'samples_y2026m02', 'samples_y2026m03'],
  ]);
  expect(await newer.indexMonths()).toBe(0);
});

test('many processes at once index each month once', async () => {
  const { db, store } = await openStore();
  await store.prepare();
  await db.query('drop index plant.samples_at_idx');
  await write(store, MONTHS);
  await store.prepare();
  const counts = await Promise.all(Array.from({ length: 4 }, () => store.indexMonths()));
  expect([...counts].sort()).toEqual([0, 0, 0, 3]);
});
