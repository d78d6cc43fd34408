/**
 * `npx tsx test/bench/all-series.ts [millions of series] [URL of an empty database]` fills a ledger with many
 * series, ten fragments of coverage each. It measures the commands that look at all series, or at a few of
 * them.
 */

import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { timed } from './bench-database.ts';
import { fillLargeLedger } from './large-ledger.ts';

const millions = Number(process.argv[2] ?? 2);
const server = await startPostgres();
const db = openPostgres(server.options, silentLog);
await migrate(db, defaultSchemas);
const nowSec = Math.floor(Date.now() / 60_000) * 60;
await timed('filling the ledger', millions * 1e6, () =>
  fillLargeLedger(db, defaultSchemas, {
    parts: [
      { prefix: 'few', objects: 80, fragments: 1 },
      { prefix: 'many', objects: 5_000, fragments: 1 },
      { prefix: 'rest', objects: (millions * 1e6) / 20 - 5_080, fragments: 10 },
    ],
    propertiesPerObject: 20,
    fromSec: nowSec - 365 * 86_400,
    toSec: nowSec,
    patterns: 10_000_000,
  }),
);
const { rows } = await db.query(
  `select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*)::int from plant.series) as series, (select covered::text from plantsync.coverage where series_id = 101601 limit 1) as c`,
);
console.log(rows);
await db.close();
await server.close();
