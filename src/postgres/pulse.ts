import type { Client } from 'pg';
import { StoreError } from '../errors.ts';
import type { Database } from './connect.ts';
import { asStoreError } from './postgres-errors.ts';

/** Asks a server from time to time whether it can be used. */
export interface Pulse {
  /** Rejects with a `StoreError` if the server cannot be used. Rejects soon after the signal aborts. */
  feel(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the pulse of a database over a connection of its own. The connections of the pool may all be busy
 * with long work, which is no failure. A new connection for each question would cost the server more than the
 * question.
 */
export function openPulse(db: Database): Pulse {
  let session: Client | undefined;
  const leave = async (): Promise<void> => {
    const left = session;
    session = undefined;
    await left?.end();
  };
  return {
    async feel(signal) {
      // Only the end of the session ends a statement that the server never answers.
      const giveUp = () => void leave();
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        session ??= await db.openSession();
        const { rows } = await session.query<{ replica: boolean }>('select pg_is_in_recovery() as replica');
        if (rows[0]?.replica)
          throw new StoreError(
            'postgres.read_only',
            'the server is a read-only replica, as after a failover',
            { action: 'retry' },
          );
        await db.room.check(session);
      } catch (error) {
        await leave();
        throw asStoreError(error, `looking at PostgreSQL at ${db.host}:${db.port}`);
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    close: leave,
  };
}
