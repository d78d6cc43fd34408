import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { jitteredBackoffMs } from '../backoff.ts';
import type { Database } from './connect.ts';
import { asStoreError, sqlState } from './postgres-errors.ts';
import { transact } from './transact.ts';

/** Waits before the work is done again. */
const RETRY_WAITS = { firstMs: 100, longestMs: 800 };

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
  const { what = 'transaction', attempts = 5 } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTransaction(db, work);
    } catch (error) {
      if (attempt >= attempts || !/^(40001|40P01)$/.test(sqlState(error) ?? ''))
        throw asStoreError(error, what);
      // The wait is random, so that transactions that met do not meet again.
      await sleep(jitteredBackoffMs(RETRY_WAITS, attempt - 1, Math.random));
    }
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
