import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres, type PostgresOptions } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { timed } from './bench-database.ts';
import { fillLargeLedger, type LargePlant } from './large-ledger.ts';

const YEAR_SEC = 365 * 86_400;

/** Fills the ledger of a database with a year that ends now, unless that was done before. */
export async function fillYear(
  options: PostgresOptions,
  plant: Omit<LargePlant, 'fromSec' | 'toSec'>,
): Promise<void> {
  const db = openPostgres(options, silentLog);
  try {
    await migrate(db, defaultSchemas);
    const { rows } = await db.query('select from plant.series limit 1');
    if (rows.length > 0) return;
    const toSec = Math.floor(Date.now() / 60_000) * 60;
    const series = plant.parts.reduce((sum, { objects }) => sum + objects * plant.propertiesPerObject, 0);
    await timed(`a ledger with ${series.toLocaleString('en')} series`, series, () =>
      fillLargeLedger(db, defaultSchemas, { ...plant, fromSec: toSec - YEAR_SEC, toSec }),
    );
  } finally {
    await db.close();
  }
}

/** Measures on the server at an address, which may hold a password. Without one, a server is started. */
export async function withServer(
  address: string | undefined,
  measure: (options: PostgresOptions) => Promise<void>,
): Promise<void> {
  if (address !== undefined) {
    const open = new URL(address);
    const password = decodeURIComponent(open.password);
    open.password = '';
    return measure({ url: open.href, password });
  }
  const server = await startPostgres();
  try {
    await measure(server.options);
  } finally {
    await server.close();
  }
}
