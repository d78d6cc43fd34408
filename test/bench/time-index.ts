import type { Database } from '../../src/postgres/connect.ts';
import { timed, withBenchDatabase } from './bench-database.ts';

/**
 * Prints what the index of times costs. It loads points with and without the index, in turns. Then it makes
 * the index on a month that has points already. The arguments are the URL of a server, and millions of
 * points.
 */
const BATCH = 200_000;
const TURNS = 3;

const fill = (db: Database, table: string, offset: number, count: number) =>
  db.query(
    `insert into ${table}
     select n % 1000, timestamptz '2026-01-01' + ((${offset} + n) / 1000) * interval '250 ms', n, null, null
     from generate_series(1, ${count}) as n`,
  );

async function makeTable(db: Database, name: string): Promise<void> {
  await db.query(
    `create table ${name} (series_id bigint not null, at timestamptz not null, value double precision, text text,
       quality text, primary key (series_id, at))`,
  );
}

await withBenchDatabase(async (db) => {
  await makeTable(db, 'plain');
  await makeTable(db, 'indexed');
  await db.query('create index on indexed using brin (at) with (autosummarize = on)');
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const table of ['plain', 'indexed'])
      await timed(`points loaded, ${table}`, BATCH, () => fill(db, table, turn * BATCH, BATCH));
  const rows = Number(process.argv[3] ?? 2) * 1_000_000;
  await makeTable(db, 'month');
  await fill(db, 'month', 0, rows);
  const create = 'on month using brin (at) with (autosummarize = on)';
  await timed('index made, while nobody may write', rows, () => db.query(`create index month_at ${create}`));
  await db.query('drop index month_at');
  await timed('index made, while others write', rows, () =>
    db.query(`create index concurrently month_at ${create}`),
  );
});
