import { ensureBi } from '../../../src/bi/ensure-bi.ts';
import { makeTables } from '../../../src/cli/open/make-tables.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { fillDirectory } from './fill-directory.ts';
import { fillLedger } from './fill-ledger.ts';
import { fillRollups } from './fill-rollups.ts';
import { fillCoverage, fillSamples } from './fill-samples.ts';
import { ZONE } from './plant-names.ts';
import type { PlantSize } from './plant-size.ts';

/** Makes all tables and views in an empty database, and fills them up to now. */
export async function makePlant(db: Database, size: PlantSize): Promise<void> {
  await openSchemas(db);
  const hourMs = 3_600_000;
  const to = new Date();
  const from = new Date(Math.floor(to.getTime() / hourMs) * hourMs - size.days * 24 * hourMs);
  await fillDirectory(db, size, from);
  const timed = async (what: string, work: Promise<unknown>): Promise<void> => {
    const beganMs = performance.now();
    await work;
    console.log(`${what}: ${Math.round((performance.now() - beganMs) / 1000)} s`);
  };
  await timed('points', fillSamples(db, { from, to }));
  await timed('coverage', fillCoverage(db, { from, to }));
  // Rollups are made from many lookups, which are planned by what is known of the tables.
  await timed('statistics', db.query('vacuum analyze'));
  await timed('rollups', fillRollups(db, to));
  await fillLedger(db, size, { from, to });
  await timed('statistics', db.query('vacuum analyze'));
}

async function openSchemas(db: Database): Promise<void> {
  const platform = { baseUrl: 'http://127.0.0.1:1', appId: 'bench', secret: 'bench', timezone: ZONE };
  const config = await loadConfig({ path: false, env: {}, overrides: { platform } as never });
  await migrate(db, defaultSchemas);
  await ensureBi(db, {
    schemas: defaultSchemas,
    zone: ZONE,
    program: '0.0.0',
    makeTables: () => makeTables(db, config, STORE_KINDS),
  });
}
