import type { Client } from 'pg';
import type { Database } from './connect.ts';
import { asStoreError } from './errors.ts';

/** What `withTryLock` did: the work and its result, or nothing because another session holds the lock. */
export type TryLockResult<T> = { readonly ran: true; readonly result: T } | { readonly ran: false };

/** A lock that this process holds. */
export interface HeldLock {
  /** Rejects if the session that holds the lock is gone, and the lock with it. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes this database's lock `key`, or returns undefined at once if another session holds it. The lock lives in a session of
 * its own and ends with it, so a process that dies frees it. It needs a direct connection: a pooler in transaction mode
 * cannot hold it. Waiting locks are those of transactions (`changeSchema`).
 */
export async function tryHoldLock(db: Database, key: string): Promise<HeldLock | undefined> {
  const session = await db.openSession();
  const release = () => session.end();
  try {
    if (await tryLock(session, key))
      return {
        check: async () => {
          await session.query('select 1').catch((error: unknown) => {
            throw asStoreError(error, `lock ${key}`);
          });
        },
        release,
      };
  } catch (error) {
    await release();
    throw asStoreError(error, `lock ${key}`);
  }
  await release();
  return undefined;
}

/** Does the work while this database's lock `key` is held; if another session holds it, returns `{ ran: false }` at once. */
export async function withTryLock<T>(
  db: Database,
  key: string,
  work: () => Promise<T>,
): Promise<TryLockResult<T>> {
  const lock = await tryHoldLock(db, key);
  if (lock === undefined) return { ran: false };
  try {
    return { ran: true, result: await work() };
  } catch (error) {
    throw asStoreError(error, `lock ${key}`);
  } finally {
    await lock.release();
  }
}

async function tryLock(session: Client, key: string): Promise<boolean> {
  // Advisory locks are numbers shared by all programs of a database; the prefix keeps ours apart.
  const { rows } = await session.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
    [`plantsync:${key}`],
  );
  return rows[0]?.locked === true;
}
