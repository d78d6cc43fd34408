import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import { hasRelation } from '../postgres/schema-change.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** A store that the ledger knows. */
export interface KnownStore {
  /** Identity of the store, as in coverage. */
  readonly store: string;
  /** Number of coverage rows, one for each series and stream. */
  readonly covered: number;
}

export interface Stores {
  /**
   * Lists the identities of all stores that have coverage or were declared to be new. This costs one look-up
   * for each store, however much is covered.
   */
  names(): Promise<string[]>;
  /** Lists the stores with their coverage rows, which counts all rows of coverage. */
  list(): Promise<KnownStore[]>;
  /** Declares a store to be new. */
  add(store: string): Promise<void>;
  /**
   * Gives coverage and outbox of stores whose identity begins with `from` to those that begin with `to`, in
   * one transaction. Resolves to the number of coverage rows moved.
   */
  rename(from: string, to: string): Promise<number>;
}

/** Makes the part of the ledger that keeps which stores are known. */
export function createStores(db: Database, schemas: Schemas): Stores {
  const [stores, coverage, outbox] = ['stores', 'coverage', 'outbox'].map((name) =>
    quoteTable(schemas.ledger, name),
  );
  return {
    async names() {
      // Postgres does not reliably choose a skip scan, so each step of the recursion jumps to the next store
      // in the index.
      const { rows } = await db.query<{ store: string }>(
        `with recursive covered as (
           (select store from ${coverage} order by store limit 1)
           union all
           select (select c.store from ${coverage} as c where c.store > covered.store order by c.store limit 1)
           from covered where covered.store is not null)
         select store from covered where store is not null union select store from ${stores} order by store`,
      );
      return rows.map(({ store }) => store);
    },

    async list() {
      const { rows } = await db.query(
        `select store, sum(covered)::int as covered from (
           select store, count(*) as covered from ${coverage} group by store
           union all select store, 0 from ${stores}) as known group by store order by store`,
      );
      return rows as unknown as KnownStore[];
    },

    async add(store) {
      await db.query(`insert into ${stores} (store) values ($1) on conflict do nothing`, [store]);
    },

    rename(from, to) {
      const renamed = `$2 || substr(store, length($1) + 1)`;
      const values = [from, to];
      return inTransaction(
        db,
        async (tx) => {
          const { rowCount } = await tx.query(
            `with moved as (delete from ${coverage} where starts_with(store, $1) returning *)
             insert into ${coverage} as c (store, stream, series_id, covered)
             select ${renamed}, stream, series_id, covered from moved order by store, stream, series_id
             on conflict (store, stream, series_id) do update set covered = c.covered + excluded.covered`,
            values,
          );
          await tx.query(`update ${outbox} set store = ${renamed} where starts_with(store, $1)`, values);
          await tx.query(`delete from ${stores} where starts_with(store, $1)`, [from]);
          return rowCount ?? 0;
        },
        { what: 'renaming a store' },
      );
    },
  };
}

/**
 * Lists the stores as `names` does, also from a database without a ledger, which has none. Changes nothing.
 */
export async function readStoreNames(db: Database, schemas: Schemas): Promise<string[]> {
  return (await hasRelation(db, quoteTable(schemas.ledger, 'stores')))
    ? createStores(db, schemas).names()
    : [];
}
