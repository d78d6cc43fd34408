import { DatabaseError } from 'pg';
import type { Queryable } from './queryable.ts';

/** Watches what a session waits for, so that an error about the wait can tell its cause. */
export interface LockWatch {
  /** Returns the error. If the error is about a lock, it then names the holder of the lock. */
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

/** Begins to watch. The first look comes after a quarter of the time-out, when most work has long ended. */
export function watchLocks({ ask, pid, timeoutMs }: LockWatchOptions): LockWatch {
  let holders: string | undefined;
  const look = () => {
    readHolders(ask, pid).then(
      (told) => {
        holders = told ?? holders;
      },
      // The holders are for the message only, so a failed look does not matter.
      () => undefined,
    );
  };
  const timer = setInterval(look, timeoutMs / 4).unref();
  return {
    explain(error) {
      if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)
        error.message = `${error.message} after ${timeoutMs / 1000} s: ${holders ?? 'an unknown session'} holds it`;
      return error;
    },
    stop: () => clearInterval(timer),
  };
}

/** Describes the sessions for which a session waits. Returns undefined if it waits for no other session. */
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
