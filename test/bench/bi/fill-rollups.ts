import { createLedger } from '../../../src/ledger/ledger.ts';
import { RollupPortions } from '../../../src/load/rollups/rollup-portions.ts';
import { keepMarks } from '../../../src/load/rollups/rollup-state.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { rollupTables } from '../../../src/postgres/rollup-tables.ts';
import { defaultSchemas as schemas } from '../../../src/postgres/schemas.ts';
import { createZoneGrid } from '../../../src/series/zone-grid.ts';
import { STORE, ZONE } from './plant-names.ts';

/** Makes the rollups of all stored points up to `to`, as plantsync does after rollups are switched on. */
export async function fillRollups(db: Database, to: Date): Promise<void> {
  const { coverage } = createLedger(db, schemas);
  const grid = createZoneGrid(ZONE);
  await keepMarks(db, schemas, { isKept: false, zone: ZONE });
  await keepMarks(db, schemas, { isKept: true, zone: ZONE });
  const portions = new RollupPortions({
    ...{ db, schemas, grid, tables: rollupTables(schemas) },
    ...{ dueUntil: grid.hourAt(to.getTime() * 1000).from, keptSince: Number.NEGATIVE_INFINITY },
    readCoverage: (tx, seriesIds) => coverage.read({ store: STORE, stream: 'history', seriesIds }, tx),
  });
  await portions.begin();
  while ((await portions.takeBacklog()) !== undefined);
}
