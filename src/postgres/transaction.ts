import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Database } from './connect.ts';
import { asStoreError, sqlState } from './errors.ts';

export interface TransactionOptions {
  /** What is being done, for the error: "loading objects". */
  readonly what?: string;
  /** How often the work is done before a deadlock or serialization failure is given up. Default 5. */
  readonly attempts?: number;
}

/** Milliseconds that a rollback may take before the connection is thrown away instead. */
const rollbackTimeoutMs = 5000;

/**
 * Does the work in one transaction: commits if it resolves, rolls back if it throws. After a deadlock or a
 * serialization failure everything is done again, so the work must be repeatable. Inside, errors of statements are those of
 * `pg`; outside they are `StoreError`s (`sqlState` reads both).
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
      // Random, so that those who met do not meet again.
      await sleep(Math.random() * 50 * 2 ** attempt);
    }
  }
}

async function attemptTransaction<T>(db: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.connect();
  let usable = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    usable = true;
    return result;
  } catch (error) {
    usable = await rollBack(client);
    throw error;
  } finally {
    client.release(!usable);
  }
}

/** False if the connection cannot be used again: it broke, or a COPY that nobody ends keeps it busy. */
async function rollBack(client: PoolClient): Promise<boolean> {
  const cancel = new AbortController();
  const rolledBack = client.query('rollback').then(
    () => true,
    // The error that led here is the one to tell.
    () => false,
  );
  const tooLate = sleep(rollbackTimeoutMs, false, { signal: cancel.signal }).catch(() => false);
  const usable = await Promise.race([rolledBack, tooLate]);
  cancel.abort();
  return usable;
}
