import type { PoolClient } from 'pg';
import type { Database } from './connect.ts';
import { asStoreError } from './postgres-errors.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { transact } from './transact.ts';

export interface TransactionOptions {
  /** The work in words, for errors: "loading objects". */
  readonly what?: string;
  /** How often the work is done at most if deadlocks or serialization failures come. Default 5. */
  readonly attempts?: number;
}

/**
 * Does work in one transaction. Commits if the work resolves, and rolls back if it throws. After a deadlock
 * or a serialization failure all work is done again, so it must be repeatable. Inside the work, errors of
 * statements are those of `pg`. Outside they are `StoreError`s (`sqlState` reads both).
 */
export async function inTransaction<T>(
  db: Database,
  work: (client: PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { what = 'transaction', attempts } = options;
  try {
    return await retryConflicts(() => attemptTransaction(db, work), attempts);
  } catch (error) {
    throw asStoreError(error, what);
  }
}

async function attemptTransaction<T>(db: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.connect();
  const watch = db.watchLocks(client);
  try {
    return await transact(client, work);
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.stop();
  }
}
