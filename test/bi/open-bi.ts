import { onTestFinished } from 'vitest';
import { type BiOptions, ensureBi } from '../../src/bi/ensure-bi.ts';
import { makeTables } from '../../src/cli/open/make-tables.ts';
import { STORE_KINDS } from '../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { loadPlainConfig } from '../support/plain-config.ts';
import {
  createDatabaseWithLedger,
  createMigratedDatabase,
  type TestDatabase,
} from '../support/servers/servers.ts';

/** A database with an up-to-date ledger, for views. */
export interface BiDatabase {
  readonly db: Database;
  readonly made: TestDatabase;
  /** What `ensureBi` needs, with the time zone Europe/Berlin. */
  readonly options: BiOptions;
  /** Returns the rows of a query as lists of values. */
  rows(sql: string): Promise<unknown[][]>;
}

/** Calls a function when a test, or the tests of a file, end. */
type AtEnd = (close: () => Promise<void>) => void;

/** Opens a database for views, without any yet. The database is gone when the test, or its file, ends. */
export async function openBiDatabase(
  atEnd: AtEnd = onTestFinished,
  create: () => Promise<TestDatabase> = createDatabaseWithLedger,
): Promise<BiDatabase> {
  const made = await create();
  const db = openPostgres(made.options, silentLog);
  atEnd(async () => {
    await db.close();
    await made.drop();
  });
  return {
    db,
    made,
    options: await biOptions(db),
    rows: async (sql) => (await db.query(sql)).rows.map((row) => Object.values(row)),
  };
}

async function biOptions(db: Database): Promise<BiOptions> {
  const config = await loadPlainConfig();
  return {
    schemas: defaultSchemas,
    zone: 'Europe/Berlin',
    program: '1.2.3',
    makeTables: () => makeTables(db, config, STORE_KINDS),
  };
}

/** Opens a database with all views. */
export async function openBi(atEnd?: AtEnd): Promise<BiDatabase> {
  const opened = await openBiDatabase(atEnd, createMigratedDatabase);
  await ensureBi(opened.db, opened.options);
  return opened;
}
