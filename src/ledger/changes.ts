import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import { type ChangeFilter, type ChangePage, listChanges } from './list-changes.ts';

/** Numbers of changes to the rows of one table. */
export interface ChangeCounts {
  readonly updated: number;
  readonly deleted: number;
  readonly restored: number;
}

/**
 * The history of the directory's rows. The statements that change the rows also write it, in their
 * transaction.
 */
export interface Changes {
  /**
   * Forgets changes that are older than `olderThanMs`, a bounded number in each transaction. Resolves to
   * their number.
   */
  prune(olderThanMs: number): Promise<number>;
  /**
   * Counts the changes since an instant (epoch microseconds), by table. A table without changes is not in the
   * map.
   */
  countSince(sinceUs: number): Promise<Map<string, ChangeCounts>>;
  /** Lists changes, the newest first, each with the columns that it changed. */
  list(filter?: ChangeFilter): Promise<ChangePage>;
}

/**
 * Number of rows that one statement forgets: enough to make progress, and so few that no other statement
 * waits long.
 */
const CHUNK_ROWS = 10_000;

/** Makes the part of the ledger that keeps the history of the directory's rows. */
export function createChanges(db: Database, schemas: Schemas): Changes {
  const table = quoteTable(schemas.ledger, 'changes');
  return {
    async prune(olderThanMs) {
      for (let pruned = 0; ; ) {
        const { rowCount } = await db.query(
          `delete from ${table} where ctid = any(array(
             select ctid from ${table} where at < now() - make_interval(secs => $1) order by at limit ${CHUNK_ROWS}))`,
          [olderThanMs / 1000],
        );
        pruned += rowCount ?? 0;
        if ((rowCount ?? 0) < CHUNK_ROWS) return pruned;
      }
    },

    list: (filter = {}) => listChanges(db, schemas, filter),

    async countSince(sinceUs) {
      const { rows } = await db.query(
        `select table_name, count(*) filter (where kind = 'updated') as updated,
           count(*) filter (where kind = 'deleted') as deleted, count(*) filter (where kind = 'restored') as restored
         from ${table} where at >= $1 group by table_name order by table_name`,
        [timestamptzText(sinceUs)],
      );
      return new Map(
        rows.map(({ table_name, updated, deleted, restored }) => [
          table_name as string,
          { updated: updated as number, deleted: deleted as number, restored: restored as number },
        ]),
      );
    },
  };
}
