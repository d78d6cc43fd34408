import { Client } from 'pg';
import { messageOf, StoreError } from '../../errors.ts';
import { isDuplicateKey, sqlState } from '../postgres-errors.ts';

/** How to reach an embedded server. */
export interface EmbeddedAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly home: string;
}

const LOCK = "hashtextextended('plantsync embedded', 0)";

/**
 * Joins the processes that use the server. Returns the connection, or the reason why joining is not possible
 * (yet). Each process holds the same shared advisory lock, on a connection that dies with the process. While
 * the last process stops the server, no other process gets the lock.
 */
export async function joinUsers(at: EmbeddedAddress): Promise<Client | string> {
  const keeper = new Client({
    host: at.host,
    port: at.port,
    user: at.user,
    password: at.password,
    database: 'postgres',
    application_name: 'plantsync embedded',
    connectionTimeoutMillis: 5000,
    // This is set, since PGSSLMODE of the environment would decide otherwise.
    ssl: false,
  });
  let broken = '';
  keeper.on('error', (error) => {
    broken = error.message;
  });
  try {
    await keeper.connect();
    if (await tryLock(keeper, 'pg_try_advisory_lock_shared')) return keeper;
    await keeper.end();
    return 'another process is stopping the server';
  } catch (error) {
    await keeper.end();
    if (!sqlState(error)?.startsWith('28')) return broken || messageOf(error);
    throw new StoreError(
      'postgres.embedded_password',
      `the embedded PostgreSQL in ${at.home} refuses the password kept in that folder: put the old file ` +
        '`password` back, or stop the server and remove the folder (its data is lost)',
      { action: 'stop', cause: error },
    );
  }
}

/**
 * Leaves the processes that use the server. Returns true if no other process is left: none can join then
 * until the keeper's connection ends. Throws if the connection is broken, as it is when the server died.
 */
export async function leaveUsers(keeper: Client): Promise<boolean> {
  await keeper.query(`select pg_advisory_unlock_shared(${LOCK})`);
  return tryLock(keeper, 'pg_try_advisory_lock');
}

async function tryLock(
  keeper: Client,
  take: 'pg_try_advisory_lock_shared' | 'pg_try_advisory_lock',
): Promise<boolean> {
  const { rows } = await keeper.query<{ locked: boolean }>(`select ${take}(${LOCK}) as locked`);
  return rows[0]?.locked === true;
}

/** Makes the database unless it exists. */
export async function ensureDatabase(keeper: Client, name: string): Promise<void> {
  const { rowCount } = await keeper.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount !== 0) return;
  try {
    await keeper.query(`create database ${name}`);
  } catch (error) {
    // Another process was faster: duplicate_database, or the unique index behind it.
    if (sqlState(error) !== '42P04' && !isDuplicateKey(error)) throw error;
  }
}
