/**
 * A program that holds the lock of a job, and is in the middle of making a table, until the process is ended.
 */
import { createLedger } from '../../src/ledger/ledger.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres, type PostgresOptions } from '../../src/postgres/connect.ts';
import { changeSchema } from '../../src/postgres/schema-change.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';

const options = JSON.parse(process.argv[2] ?? '') as PostgresOptions;
const db = openPostgres(options, silentLog);
await createLedger(db, defaultSchemas).leases.tryLock('job held');
await changeSchema(db, 'making a table', async (tx) => {
  await tx.query('create table half_made (id int)');
  process.stdout.write(`${db.sessionName}\n`);
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});
