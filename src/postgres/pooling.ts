import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { StoreError } from '../errors.ts';
import { POSTGRES_STORE, type ServerAddress } from './postgres-errors.ts';
import type { Queryable } from './queryable.ts';

/** A pooler that has no connection left to give keeps a statement waiting. */
const ANSWER_MS = 5_000;

interface Sessions extends ServerAddress {
  connect(): Promise<PoolClient>;
  readonly queryInSession: Queryable['query'];
}

/**
 * Refuses a pooler that gives each transaction to whichever connection is free, as PgBouncer does in transaction mode: prepared statements,
 * settings and temporary tables of a session come into the hands of others there. It asks by connections that are used afterwards, since each
 * login costs both sides.
 */
export async function checkPooling(db: Sessions): Promise<void> {
  if (await keepsSession(db)) return;
  throw new StoreError(
    `PostgreSQL at ${db.host}:${db.port} is reached through a pooler that shares sessions (PgBouncer in transaction mode, for example): ` +
      'connect to the server itself, or set pool_mode = session for this database',
    POSTGRES_STORE,
    'stop',
  );
}

/** Whether a session has its own server process also after another session took the one that was used last. */
async function keepsSession({ connect, queryInSession }: Sessions): Promise<boolean> {
  const other = await connect();
  let isOpen = false;
  try {
    const mark = randomUUID();
    const { rows: before } = await queryInSession(
      `select pg_backend_pid() as pid, set_config('plantsync.session', $1, false)`,
      [mark],
    );
    try {
      await other.query('begin');
      isOpen = true;
    } catch {
      // Where even a transaction is refused, each statement stands alone.
      return false;
    }
    const after = await readInTime(queryInSession);
    return after?.pid === before[0]?.pid && after?.mark === mark;
  } finally {
    if (isOpen) await other.query('rollback');
    other.release(!isOpen);
  }
}

async function readInTime(query: Queryable['query']): Promise<Record<string, unknown> | undefined> {
  const answered = new AbortController();
  try {
    return await Promise.race([
      query(`select pg_backend_pid() as pid, current_setting('plantsync.session', true) as mark`).then(
        ({ rows }) => rows[0],
      ),
      sleep(ANSWER_MS, undefined, { signal: answered.signal }).catch(() => undefined),
    ]);
  } finally {
    answered.abort();
  }
}
