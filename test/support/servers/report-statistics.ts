import type { Database } from '../../../src/postgres/connect.ts';

/** A session of PostgreSQL 14 reports at most every half second. Its server writes reports down as often. */
const REPORT_SECONDS = 0.6;

/** Lets the only session of a database report what it did, so that the statistics of the server have it. */
export async function reportStatistics(db: Database): Promise<void> {
  const { rows } = await db.query(`select to_regproc('pg_stat_force_next_flush') is not null as can`);
  if (rows[0]?.can === true) {
    await db.query('select pg_stat_force_next_flush()');
    return;
  }
  for (const _ of ['the session reports', 'the server writes'])
    await db.query(`select pg_sleep(${REPORT_SECONDS})`);
}
