import { DatabaseError } from 'pg';
import type { Queryable } from './queryable.ts';

/** Watches what a session waits for, so that a wait that is given up can be told with its cause. */
export interface LockWatch {
  /** The error, which names who holds the lock if that is what it is about. */
  explain(error: unknown): unknown;
  stop(): void;
}

export interface LockWatchOptions {
  /** Asks the server by another session than the one that may wait. */
  readonly ask: Queryable['query'];
  /** Number of the server process that may wait. */
  readonly pid: number | undefined;
  /** How long a wait may last. */
  readonly timeoutMs: number;
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Begins to watch. Most work ends long before it asks anything. */
export function watchLocks({ ask, pid, timeoutMs }: LockWatchOptions): LockWatch {
  let holders: string | undefined;
  const look = () => {
    readHolders(ask, pid).then(
      (told) => {
        holders = told ?? holders;
      },
      // It is for the message only.
      () => undefined,
    );
  };
  const timer = setInterval(look, timeoutMs / 4).unref();
  return {
    explain(error) {
      if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)
        error.message = `${error.message} after ${timeoutMs / 1000} s: ${holders ?? 'its holder'} holds it`;
      return error;
    },
    stop: () => clearInterval(timer),
  };
}

/** Those whom the session waits for, in words; undefined if it waits for none. */
async function readHolders(ask: Queryable['query'], pid: number | undefined): Promise<string | undefined> {
  const { rows } = await ask(
    `select string_agg(format('%s (server process %s, from %s, %s since %s)', nullif(application_name, ''), pid,
       coalesce(host(client_addr), 'the machine of the server'), coalesce(state, 'of another user'),
       to_char(state_change at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ', ') as holders
     from pg_stat_activity where pid = any(pg_blocking_pids($1))`,
    [pid],
  );
  return (rows[0]?.holders as string | null) ?? undefined;
}
