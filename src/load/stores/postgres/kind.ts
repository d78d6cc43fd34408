import { createRollupMarks } from '../../../postgres/rollup-marks.ts';
import { postgresStoreId } from '../../../postgres/schemas.ts';
import { createZoneGrid } from '../../../series/zone-grid.ts';
import { zoneOfPlant } from '../../../time-zone.ts';
import type { PostgresKind } from '../store-kind.ts';
import { createHistoryNotes } from './note-history.ts';

export const postgresKind: PostgresKind = {
  name: 'postgres',
  title: 'PostgreSQL',
  option: 'postgres.samples',
  takesHistory: ({ postgres }) => postgres.samples,
  async open({ postgres: { schema, ledgerSchema, biSchema, keepSamplesMs }, platform, rollups }, db) {
    const { createPostgresStore } = await import('./create-store.ts');
    const notes = createHistoryNotes({
      marks: createRollupMarks({ data: schema, ledger: ledgerSchema, bi: biSchema }),
      grid: createZoneGrid(zoneOfPlant(platform)),
      store: postgresStoreId(schema),
      keepsRollups: rollups,
    });
    return createPostgresStore({ db, schema, retentionMs: keepSamplesMs, notes });
  },
};
