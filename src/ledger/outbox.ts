import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { jsonText } from './json-text.ts';

export interface OutboxEntry {
  readonly id: number;
  readonly payload: unknown;
}

export interface Outbox {
  /**
   * Adds entries for a store, in the transaction of the rows that they belong to. If the store has more than
   * `maxEntries`, its oldest are dropped. Resolves to the number dropped.
   */
  add(
    entries: { store: string; payloads: readonly object[]; maxEntries: number },
    tx: Queryable,
  ): Promise<number>;
  /** Reads the oldest entries of a store, oldest first. They stay until they are removed. */
  take(store: string, limit: number): Promise<OutboxEntry[]>;
  /** Removes entries that the store acknowledged. */
  remove(ids: readonly number[]): Promise<void>;
  /** Counts the waiting entries by store. */
  count(): Promise<Map<string, number>>;
  /** Returns by store when its oldest waiting entry was added, in epoch microseconds. */
  readOldest(): Promise<Map<string, number>>;
}

/**
 * Makes the part of the ledger that keeps the values a store still has to get. Entries are added together
 * with the rows of a poll, and removed after the store's acknowledgement.
 */
export function createOutbox(db: Database, schemas: Schemas): Outbox {
  const table = quoteTable(schemas.ledger, 'outbox');
  return {
    async add({ store, payloads, maxEntries }, tx) {
      await tx.query(
        `insert into ${table} (store, payload) select $1, payload
         from jsonb_array_elements($2::jsonb) with ordinality as a (payload, n) order by n`,
        [store, jsonText(payloads)],
      );
      const { rowCount } = await tx.query(
        `delete from ${table} where store = $1 and id in (select id from ${table} where store = $1 order by id desc offset $2)`,
        [store, maxEntries],
      );
      return rowCount ?? 0;
    },

    async take(store, limit) {
      const { rows } = await db.query(
        `select id, payload from ${table} where store = $1 order by id limit $2`,
        [store, limit],
      );
      return rows.map((row) => ({ id: row.id as number, payload: row.payload }));
    },

    async remove(ids) {
      await db.query(`delete from ${table} where id = any($1::bigint[])`, [ids]);
    },

    async count() {
      const { rows } = await db.query(
        `select store, count(*)::int as waiting from ${table} group by store order by store`,
      );
      return new Map(rows.map((row) => [row.store as string, row.waiting as number]));
    },

    async readOldest() {
      const { rows } = await db.query(
        `select distinct on (store) store, created_at from ${table} order by store, id`,
      );
      return new Map(rows.map((row) => [row.store as string, row.created_at as number]));
    },
  };
}
