import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  const admin = openPostgres(made.options, silentLog);
  for (const setting of [
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
    'idle_session_timeout',
  ])
    await admin.query(`alter database ${made.name} set ${setting} = '100ms'`);
  const { rows } = await admin.query('select from pg_settings where name = $1', ['transaction_timeout']);
  if (rows.length > 0) await admin.query(`alter database ${made.name} set transaction_timeout = '100ms'`);
  await admin.close();
  db = openPostgres({ ...made.options, maxConnections: 1 }, silentLog);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

test('limits of a role or database do not cut work short that takes longer', async () => {
  await db.query('select pg_sleep(0.3)');
  await inTransaction(db, async (tx) => {
    await tx.query('create table slow (id int)');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await tx.query('select pg_sleep(0.3)');
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const other = openPostgres(made.options, silentLog);
  const locking = inTransaction(other, async (tx) => {
    await tx.query('lock table slow');
    await new Promise((resolve) => setTimeout(resolve, 400));
  });
  await expect
    .poll(async () => (await db.query("select from pg_locks where mode = 'AccessExclusiveLock'")).rowCount)
    .toBeGreaterThan(0);
  await db.query('select from slow');
  await locking;
  await other.close();
});

test('every session has bounds for what nobody else would end', async () => {
  const { rows } = await db.query(
    `select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
       current_setting('tcp_keepalives_idle')::int + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int as silent,
       current_setting('tcp_user_timeout') as unacknowledged`,
  );
  expect(rows).toEqual([{ lock: '1min', idle: '1min', silent: 30, unacknowledged: '30000' }]);
});
