import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres, type PostgresOptions } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { createDatabaseWithLedger } from '../support/servers/servers.ts';

/** A migrated ledger in a database of its own. */
export interface TestLedger {
  readonly db: Database;
  readonly ledger: Ledger;
  /** Options to open the database again, for a test that closes it before its end. */
  readonly options: PostgresOptions;
  /** Opens the same database once more, as another process would. */
  another(): Database;
  close(): Promise<void>;
}

export async function openTestLedger(): Promise<TestLedger> {
  const made = await createDatabaseWithLedger();
  const db = openPostgres(made.options, silentLog);
  const others: Database[] = [];
  return {
    db,
    options: made.options,
    ledger: createLedger(db, defaultSchemas),
    another() {
      const other = openPostgres(made.options, silentLog);
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([db, ...others].map((each) => each.close()));
      await made.drop();
    },
  };
}
