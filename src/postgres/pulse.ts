import type { Client } from 'pg';
import type { Database } from './connect.ts';
import { asStoreError } from './postgres-errors.ts';

/** Asks a server now and then whether it is there. */
export interface Pulse {
  /** Rejects with a `StoreError` if the server cannot be used, and soon after the signal. */
  feel(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Feels the pulse of a database by one connection that is kept for it alone: those of the pool may all be busy with long work, which is
 * no illness, and a new one for each question would cost the server more than the question.
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
      // To end the session is the only way to end a statement that the server never answers.
      const giveUp = () => void leave();
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        session ??= await db.openSession();
        const { rows } = await session.query<{ replica: boolean }>('select pg_is_in_recovery() as replica');
        if (rows[0]?.replica) throw new Error('the server is a read-only replica, as after a failover');
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
