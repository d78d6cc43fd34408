/**
 * `npx tsx test/bench/coverage-map.ts [URL]` measures the map of coverage: 100,000 series, a year, and
 * 400 columns. Series have common holes and holes of their own. Their newest data is of 1,000 instants.
 */
import { createLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { timed, withBenchDatabase } from './bench-database.ts';

const schemas = { ledger: 'bench_ledger', data: 'bench_data', bi: 'bench_bi' };
const seriesCount = 100_000;
const SEC = 1e6;
const DAY = 86_400 * SEC;
const now = Date.UTC(2026, 0, 1) * 1000;
const view = { from: now - 365 * DAY, to: now };
const [store, stream] = ['postgres:bench', 'history'];

/** Number of holes of each series that no other series has. */
const ownHoles = [0, 1, 10];
const groupings: readonly (readonly [string, (id: number) => number])[] = [
  ['everything', () => 0],
  ['50 templates', (id) => id % 50],
  ['10,000 objects, rows that lack most', (id) => id % 10_000],
];

await withBenchDatabase(async (db) => {
  await db.query(`drop schema if exists ${schemas.ledger}, ${schemas.data} cascade`);
  await migrate(db, schemas);
  const { coverage } = createLedger(db, schemas);
  for (const holes of ownHoles) {
    await coverage.forgetStore(store);
    // One statement makes what years of work would make.
    await db.query(
      `insert into ${schemas.ledger}.coverage (store, stream, series_id, covered)
       select $1, $2, id,
         tstzmultirange(tstzrange($3::timestamptz - interval '365 days', $3::timestamptz - (id / 100 % 1000) * interval '1 second'))
         - tstzmultirange(tstzrange($3::timestamptz - (100 + id % 20) * interval '1 day', $3::timestamptz - (99 + id % 20) * interval '1 day'))
         - (select coalesce(range_agg(tstzrange(t, t + interval '1 hour')), '{}')
            from (select $3::timestamptz - interval '1 second' * ((id::bigint * 7919 + k * 3001573) % 30000000) as t
                  from generate_series(1, $4::int) k) as hole)
       from generate_series(1, $5::int) id`,
      [store, stream, new Date(now / 1000).toISOString(), holes, seriesCount],
    );
    await db.query(`vacuum analyze ${schemas.ledger}.coverage`);
    for (const [name, groupOf] of groupings) {
      const seriesIds = Array.from({ length: seriesCount }, (_, k) => k + 1);
      const question = {
        ...{ store, stream, seriesIds, groups: seriesIds.map(groupOf), part: 'missing' as const, view },
        ...{ within: [view], leaveOut: { endsAfter: now - 70 * SEC, shorterThanUs: 600 * SEC } },
      };
      const isByObject = name.includes('objects');
      await timed(`${holes} own holes, by ${name}`, seriesCount, () =>
        isByObject ? coverage.readTotals(question) : coverage.readCells({ ...question, cells: 400 }),
      );
    }
  }
  await db.query(`drop schema ${schemas.ledger}, ${schemas.data} cascade`);
});
