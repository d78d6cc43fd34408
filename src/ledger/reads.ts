import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';

/**
 * When the children or the details of each parent row were last read. If this is lost, they are read again.
 */
export interface Reads {
  /**
   * Returns when each parent was last read (epoch microseconds), by its key. A parent that was never read is
   * not in the map.
   */
  list(stream: string): Promise<Map<string, number>>;
  /**
   * Notes that these parents were read, in the transaction of their rows. The time is the beginning of the
   * transaction.
   */
  note(stream: string, parents: readonly string[], tx: Queryable): Promise<void>;
  /** Forgets these parents of a stream, or all of them. Resolves to their number. */
  forget(stream: string, parents?: readonly string[]): Promise<number>;
}

/** Makes the part of the ledger that keeps when parent rows were last read. */
export function createReads(db: Database, schemas: Schemas): Reads {
  const table = quoteTable(schemas.ledger, 'reads');
  return {
    async list(stream) {
      const { rows } = await db.query(`select parent, read_at from ${table} where stream = $1`, [stream]);
      return new Map(rows.map((row) => [row.parent as string, row.read_at as number]));
    },

    async note(stream, parents, tx) {
      // The parents are sorted, so that two writers lock rows in the same order and cannot deadlock.
      await tx.query(
        `insert into ${table} as r (stream, parent, read_at)
         select $1, parent, now() from (select distinct parent from unnest($2::text[]) as a (parent)) as asked
         order by parent collate "C"
         on conflict (stream, md5(parent)) do update set read_at = greatest(r.read_at, excluded.read_at)`,
        [stream, parents],
      );
    },

    async forget(stream, parents) {
      const { rowCount } = await db.query(
        `delete from ${table} where stream = $1
         and ($2::text[] is null or md5(parent) in (select md5(p) from unnest($2) as a (p)))`,
        [stream, parents ?? null],
      );
      return rowCount ?? 0;
    },
  };
}
