import type { Database } from '../../postgres/connect.ts';
import { rollupTables } from '../../postgres/rollup-tables.ts';
import type { Schemas } from '../../postgres/schemas.ts';

/** Number of rows that one statement forgets, so that no other statement waits long. */
const CHUNK_ROWS = 10_000;

/** Forgets late points that were found longer ago than `olderThanMs`. */
export async function pruneLatePoints(db: Database, schemas: Schemas, olderThanMs: number): Promise<void> {
  const { late } = rollupTables(schemas);
  for (;;) {
    const { rowCount } = await db.query(
      `delete from ${late} where ctid = any(array(
         select ctid from ${late} where found_at < now() - make_interval(secs => $1) order by found_at limit ${CHUNK_ROWS}))`,
      [olderThanMs / 1000],
    );
    if ((rowCount ?? 0) < CHUNK_ROWS) return;
  }
}
