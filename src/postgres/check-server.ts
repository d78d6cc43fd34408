import type { Client, PoolClient } from 'pg';
import type { CodeOf } from '../error-codes/error-codes.ts';
import { StoreError } from '../errors.ts';
import { checkPooling } from './pooling.ts';
import type { ServerAddress } from './postgres-errors.ts';
import type { Queryable } from './queryable.ts';
import { isNoFreeConnection } from './sessions.ts';

/** A database as it is checked. */
interface CheckedDatabase extends ServerAddress, Queryable {
  connect(): Promise<PoolClient>;
  openSession(): Promise<Client>;
  readonly queryInSession: Queryable['query'];
}

interface CheckedFacts {
  /** `server_version_num`, for example 140011. */
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly replica: boolean;
}

/**
 * Refuses a server that plantsync cannot use. Such a server is older than 14, has another encoding than UTF8,
 * or is read-only. A pooler that shares sessions or has too few connections is refused too.
 */
export async function checkServer(db: CheckedDatabase): Promise<{ version: string }> {
  const facts = await withConnections(db, () => askServer(db));
  const refused = whyRefused(facts);
  if (refused !== undefined) throw refuse(db, refused);
  await withConnections(db, () => checkPooling(db));
  return { version: facts.version };
}

/**
 * Refuses a pooler that has too few connections for the service. It needs one for work, one for its lease and
 * one for the look at the server. The first two are open since `checkServer`.
 */
export async function checkConnections(db: CheckedDatabase): Promise<void> {
  const third = await withConnections(db, () => db.openSession());
  await third.end();
}

async function askServer(db: CheckedDatabase): Promise<CheckedFacts> {
  const { rows } = await db.query(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica`,
  );
  const [facts] = rows as unknown as CheckedFacts[];
  if (facts !== undefined) return facts;
  throw refuse(db, { code: 'postgres.connect_failed', problem: 'the server says nothing about itself' });
}

/** Why a server is refused. */
interface Refusal {
  readonly code: CodeOf<'postgres'>;
  readonly problem: string;
}

function refuse({ host, port, database }: ServerAddress, { code, problem }: Refusal): StoreError {
  return new StoreError(code, `PostgreSQL at ${host}:${port}, database "${database}": ${problem}`, {
    action: 'stop',
  });
}

/** Makes a refusal of a pooler that has no free connection. At a start nothing becomes free by waiting. */
async function withConnections<T>(db: CheckedDatabase, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!isNoFreeConnection(error)) throw error;
    const problem =
      'a pooler such as PgBouncer has too few free connections, or the server stands still. Behind a pooler ' +
      'a process needs 3 at once (for work, its lease, and the look at the server). Raise pool_size for this ' +
      'database, or end what uses the others';
    throw refuse(db, { code: 'postgres.no_free_connection', problem });
  }
}

/**
 * Returns why plantsync cannot use such a server, with the remedy. Returns undefined if plantsync can use it.
 */
export function whyRefused(facts: CheckedFacts): Refusal | undefined {
  if (facts.number < 140_000)
    return {
      code: 'postgres.too_old',
      problem: `version ${facts.version} is too old: PostgreSQL 14 or newer is needed`,
    };
  if (facts.encoding !== 'UTF8')
    return {
      code: 'postgres.wrong_encoding',
      problem: `its encoding is ${facts.encoding}: make a database with create database … encoding 'UTF8' template template0`,
    };
  if (facts.replica)
    return {
      code: 'postgres.read_only',
      problem:
        'it is a read-only replica: give the address of the primary, or of all servers with commas between them',
    };
  return undefined;
}
