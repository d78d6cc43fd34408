import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { StoreError } from '../errors.ts';
import { postgresStore, type ServerAddress } from './errors.ts';

/** A pooler that has no connection left to give keeps a statement waiting. */
const ANSWER_MS = 5_000;

interface Sessions extends ServerAddress {
  openSession(): Promise<Client>;
}

/**
 * Refuses a pooler that gives each transaction to whichever connection is free, as PgBouncer does in transaction mode: prepared statements,
 * settings and temporary tables of a session come into the hands of others there.
 */
export async function checkPooling(db: Sessions): Promise<void> {
  const [one, other] = await Promise.all([db.openSession(), db.openSession()]);
  try {
    if (await keepsSession(one, other)) return;
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
  throw new StoreError(
    `PostgreSQL at ${db.host}:${db.port} is reached through a pooler that shares sessions (PgBouncer in transaction mode, for example): ` +
      'connect to the server itself, or set pool_mode = session for this database',
    postgresStore,
    'stop',
  );
}

/** Whether a session has its own server process also after another session took the one that was used last. */
async function keepsSession(one: Client, other: Client): Promise<boolean> {
  const mark = randomUUID();
  const read = `select pg_backend_pid() as pid, current_setting('plantsync.session', true) as mark`;
  const { rows: before } = await one.query(
    `select pg_backend_pid() as pid, set_config('plantsync.session', $1, false)`,
    [mark],
  );
  try {
    await other.query('begin');
  } catch {
    // Where even a transaction is refused, each statement stands alone.
    return false;
  }
  const answered = new AbortController();
  const after = await Promise.race([
    one.query(read).then(({ rows }) => rows[0]),
    sleep(ANSWER_MS, undefined, { signal: answered.signal }).catch(() => undefined),
  ]);
  answered.abort();
  await other.query('rollback');
  return after?.pid === before[0]?.pid && after?.mark === mark;
}
