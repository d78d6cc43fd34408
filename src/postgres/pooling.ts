import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { StoreError } from '../errors.ts';
import type { ServerAddress } from './postgres-errors.ts';
import type { Queryable } from './queryable.ts';

/** How long the server has to answer. A pooler with no free connection keeps a statement waiting. */
const ANSWER_MS = 5_000;

interface Sessions extends ServerAddress {
  connect(): Promise<PoolClient>;
  readonly queryInSession: Queryable['query'];
}

/**
 * Refuses a pooler that gives each transaction to any free connection, as PgBouncer does in transaction mode.
 * With such a pooler, others get the prepared statements, settings and temporary tables of a session. The
 * check uses connections that are needed afterwards anyway, since each login costs both sides.
 */
export async function checkPooling(db: Sessions): Promise<void> {
  if (await keepsSession(db)) return;
  throw new StoreError(
    'postgres.unsupported_pooler',
    `PostgreSQL at ${db.host}:${db.port} is reached through a pooler that shares sessions (PgBouncer in transaction mode, for example): ` +
      'connect to the server itself, or set pool_mode = session for this database',
    { action: 'stop' },
  );
}

/** Returns true if a session keeps its server process after another session has begun a transaction. */
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
      // If even a transaction is refused, each statement stands alone.
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
