import { join } from 'node:path';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import type { TestPostgres } from '../support/servers/postgres.ts';

/** The rows that Postgres took from files, and for how long it was busy with them. */
export interface LoadedFromFiles {
  readonly seconds: number;
  readonly rows: number;
}

/**
 * Writes all rows of the large tables into empty tables with the same indexes, from ready files on the
 * machine of the server. It is one COPY for each table, all of them at once: the least that a first load
 * costs Postgres.
 */
export async function loadFromFiles(postgres: TestPostgres): Promise<LoadedFromFiles> {
  const db = openPostgres(postgres.options, silentLog);
  try {
    const { rows: tables } = await db.query<{ id: string; name: string }>(
      `select c.oid::text as id, c.oid::regclass::text as name from pg_class as c
       where relkind = 'r' and relnamespace in ('plant'::regnamespace, 'plantsync'::regnamespace)
         and pg_relation_size(c.oid) > 1e6`,
    );
    const copies = tables.map(({ id, name }) => ({
      ...{ name, target: `public.from_file_${id}` },
      file: join(postgres.home, 'data', `from-file-${id}`),
    }));
    for (const { name, target, file } of copies) {
      await db.query(`copy ${name} to '${file}' (format binary)`);
      await db.query(`create table ${target} (like ${name} including all)`);
    }
    const begin = performance.now();
    const loads = await Promise.all(
      copies.map(({ target, file }) => db.query(`copy ${target} from '${file}' (format binary)`)),
    );
    const seconds = (performance.now() - begin) / 1000;
    for (const { target } of copies) await db.query(`drop table ${target}`);
    return { seconds, rows: loads.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0) };
  } finally {
    await db.close();
  }
}
