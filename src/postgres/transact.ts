import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type PoolClient } from 'pg';
import { StoreError } from '../errors.ts';
import { currentFence } from './fence.ts';

/** Milliseconds that a rollback may take before the connection is thrown away instead. */
const ROLLBACK_TIMEOUT_MS = 5000;
const DIVISION_BY_ZERO = '22012';

/**
 * Does work in one transaction of the client, and gives the client back. Commits if the work resolves, and
 * rolls back if it throws. The server asks the fence around the work together with the commit, so nothing
 * comes between them.
 */
export async function transact<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  let usable = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await commit(client);
    usable = true;
    return result;
  } catch (error) {
    usable = await rollBack(client);
    throw error;
  } finally {
    client.release(!usable);
  }
}

async function commit(client: PoolClient): Promise<void> {
  const fence = currentFence();
  if (fence === undefined) {
    await client.query('commit');
    return;
  }
  const end = () => new StoreError('ledger.lease_ended', fence.endedMessage, { action: 'retry' });
  if (fence.hasEnded) throw end();
  try {
    await client.query(`${fence.checkSql}; commit`);
  } catch (error) {
    throw error instanceof DatabaseError && error.code === DIVISION_BY_ZERO ? end() : error;
  }
}

/**
 * Rolls back. Resolves to false if the connection cannot be used again: it broke, or a COPY without an end
 * keeps it busy.
 */
async function rollBack(client: PoolClient): Promise<boolean> {
  const cancel = new AbortController();
  const rolledBack = client.query('rollback').then(
    () => true,
    // The error of the work is the one to tell.
    () => false,
  );
  const tooLate = sleep(ROLLBACK_TIMEOUT_MS, false, { signal: cancel.signal }).catch(() => false);
  const usable = await Promise.race([rolledBack, tooLate]);
  cancel.abort();
  return usable;
}
