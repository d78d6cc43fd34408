import { createLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { timed, withBenchDatabase } from './bench-database.ts';

const schemas = { ledger: 'bench_ledger', data: 'bench_data', bi: 'bench_bi' };
const seriesCount = 100_000;
const minute = 60_000_000;

/** Prints how long it takes to extend the coverage of 100,000 series, and to plan their gaps. */
await withBenchDatabase(async (db) => {
  await db.query(`drop schema if exists ${schemas.ledger}, ${schemas.data} cascade`);
  await migrate(db, schemas);
  const { coverage } = createLedger(db, schemas);
  const seriesIds = Array.from({ length: seriesCount }, (_, i) => i + 1);
  const [store, stream, start] = ['postgres:bench', 'history', 1_700_000_000_000_000];

  await timed('first coverage', seriesCount, () =>
    coverage.add({ store, stream, seriesIds, range: { from: start, to: start + minute } }),
  );
  for (let i = 1; i <= 3; i += 1)
    await timed('advance', seriesCount, () =>
      coverage.add({
        store,
        stream,
        seriesIds,
        range: { from: start + i * minute, to: start + (i + 1) * minute },
      }),
    );
  for (let i = 0; i < 20; i += 1) {
    // Each of twenty bands of series has another hole, so that there are groups to find.
    const band = seriesIds.filter((id) => id % 20 === i);
    await coverage.remove({ store, stream, seriesIds: band, range: { from: start + i, to: start + 100 } });
  }
  for (const stores of [[store], [store, 'influx:bench']])
    await timed(`gaps in ${stores.length} store(s)`, seriesCount, async () => {
      const wanted = [{ from: start - 60 * minute, to: start + 60 * minute }];
      const groups = await coverage.readGaps({ stream, stores, seriesIds, wanted });
      if (groups.length !== 20) throw new Error(`${groups.length} groups of gaps instead of 20`);
    });
  await db.query(`drop schema ${schemas.ledger}, ${schemas.data} cascade`);
});
