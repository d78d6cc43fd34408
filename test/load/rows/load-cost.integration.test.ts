import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import type { Row } from '../../../src/streams/define.ts';
import { startPostgres, type TestPostgres } from '../../support/servers/servers.ts';
import { none, openTable, streamOf } from '../test-streams.ts';

/** A server of its own: writes of other tests would be counted too. */
let server: TestPostgres;
let db: Database;
beforeAll(async () => {
  server = await startPostgres();
  db = openPostgres(server.options, silentLog);
  await migrate(db, defaultSchemas);
});
afterAll(async () => {
  await db.close();
  await server.close();
});

const rowsInAll = 100_000;
const rowsPerLoad = 10_000;

test('loading what is there already writes next to nothing to the log of the server', async () => {
  const stream = streamOf(
    'properties',
    { owner: 'text', name: 'text', text: 'text', labels: 'jsonb' },
    { key: ['owner', 'name'] },
  );
  const table = await openTable(db, stream);
  const rowOf = (k: number): Row => [
    `o${Math.floor(k / 20)}`,
    `p${k % 20}`,
    `The property ${k}`,
    ['a', 'b'],
    null,
  ];
  const loadAll = async (): Promise<number> => {
    let unchanged = 0;
    for (let from = 0; from < rowsInAll; from += rowsPerLoad) {
      const rows = Array.from({ length: rowsPerLoad }, (_, k) => rowOf(from + k));
      const sets = [...new Set(rows.map(([owner]) => owner as string))].map((owner) => [owner]);
      const whole = { columns: ['owner'], sets, alsoSeen: [], missing: { missesAtMost: 2 } };
      unchanged += (await table.load(rows, whole)).unchanged;
    }
    return unchanged;
  };
  await db.query('alter table plant.properties set (autovacuum_enabled = false)');
  await loadAll();
  // The first reader of a new row notes there that the row's transaction has ended. This note may be logged,
  // and is no cost of the load.
  await db.query('vacuum analyze plant.properties');
  await db.query('checkpoint');
  const { rows: start } = await db.query('select pg_current_wal_insert_lsn() as lsn');
  expect(await loadAll()).toBe(rowsInAll);
  const { rows: end } = await db.query(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 as bytes',
    [start[0]?.lsn],
  );
  expect(end[0]?.bytes).toBeLessThan((rowsInAll / 1000) * 1024);
});

test('a list of a hundred thousand rows ends with one look at those it has shown', async () => {
  const table = await openTable(db, streamOf('listed', { name: 'text' }));
  await db.query(
    `insert into plant.listed (name) select 'n' || i from generate_series(1, ${rowsInAll}) as i`,
  );
  const alsoSeen = Array.from({ length: rowsInAll - 1 }, (_, k) => [`n${k + 2}`]);
  const whole = { columns: [], sets: [[]], alsoSeen, missing: { missesAtMost: 2 } };
  expect(await table.load([], whole)).toEqual({ ...none, missing: [[]] });
  const { rows } = await db.query('select name from plant.listed where missed_scans = 1');
  expect(rows).toEqual([{ name: 'n1' }]);
});
