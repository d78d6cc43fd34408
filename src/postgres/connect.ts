import {
  type Client,
  type ClientBase,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { addressOf, clientConfig, type PostgresOptions } from './client-config.ts';
import { GuardedClient } from './guarded-client.ts';
import { type LockWatch, watchLocks } from './lock-watch.ts';
import { checkPooling } from './pooling.ts';
import { asConnectError, POSTGRES_STORE, type ServerAddress } from './postgres-errors.ts';
import type { Prepared } from './queryable.ts';
import { asConfig, runStatement } from './run-statement.ts';
import { boundsSql } from './session-bounds.ts';
import { sessionSettings } from './session-settings.ts';

export type { PostgresOptions } from './client-config.ts';

/** Parameters and results as in `type-parsers`. */
type RunStatement = <R extends QueryResultRow = Record<string, unknown>>(
  statement: string | Prepared,
  values?: unknown[],
) => Promise<QueryResult<R>>;

/** An open Postgres database. Every error that it throws is a `StoreError` if it came from the server. */
export interface Database extends ServerAddress {
  /** Runs one statement on any connection. */
  readonly query: RunStatement;
  /** Waits for a free connection of the pool; the caller gives it back by `release()`. For COPY and transactions. */
  connect(): Promise<PoolClient>;
  /** Opens a connection outside the pool; the caller ends it. For locks that live as long as their session. */
  openSession(): Promise<Client>;
  /**
   * Runs one statement, after those before it, in one session outside the pool that all share who ask so. It lives until the database is
   * closed or the connection breaks; the next statement then opens another. For what shall end with the process.
   */
  readonly queryInSession: RunStatement;
  /** The name of its sessions, by which people and other processes know them. */
  readonly sessionName: string;
  /** Keeps the locks of installations in one database apart. */
  readonly installation: string;
  /** Watches whether a session waits for a lock. */
  watchLocks(client: PoolClient): LockWatch;
  /** Breaks all connections: what waits for the server fails, and what comes next opens others. */
  breakConnections(): void;
  /** Adds what is to be done before it closes. */
  beforeClose(work: () => Promise<void>): void;
  /** Waits until all connections are given back, then closes them. */
  close(): Promise<void>;
}

/**
 * Opens a pool of connections; none is made before the first use. Errors of idle connections are logged and the
 * connections replaced; a server that does not answer is an error after `connectTimeoutMs`.
 */
export function openPostgres(options: PostgresOptions, log: Logger): Database {
  const config = clientConfig(options);
  const at = addressOf(config);
  const bounds = { lockTimeoutMs: options.lockTimeoutMs ?? 60_000 };
  const clients = new Set<GuardedClient>();
  class OurClient extends GuardedClient {
    constructor() {
      super(config, (error) =>
        log.warn({ reason: error.message }, `a connection to PostgreSQL at ${at.host}:${at.port} was lost`),
      );
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  const prepareSession = async (client: ClientBase): Promise<void> => {
    await client.query(`${sessionSettings}; ${boundsSql(bounds)}`);
  };
  const openPool = (poolConfig: PoolConfig): Pool => {
    // Without a time-out of its own, which would also limit the wait for a free connection: the clients have one.
    const pool = new Pool({ ...poolConfig, Client: OurClient, onConnect: prepareSession });
    // It repeats what its idle clients say, which is logged already; it must have a listener all the same.
    pool.on('error', (error) => log.debug({ reason: error.message }, 'an idle connection was removed'));
    return pool;
  };
  const pool = openPool({ max: options.maxConnections ?? 10 });
  const single = openPool({ max: 1, idleTimeoutMillis: 0 });

  const connect = async (to = pool): Promise<PoolClient> => {
    try {
      return await to.connect();
    } catch (error) {
      throw asConnectError(error, at);
    }
  };
  const openSession = async (): Promise<Client> => {
    const client = new OurClient();
    try {
      await client.connect();
      await prepareSession(client);
      return client;
    } catch (error) {
      await client.end();
      throw asConnectError(error, at);
    }
  };
  const queryInSession: RunStatement = async (statement, values) =>
    runStatement(await connect(single), asConfig(statement, values));
  const watch = (client: PoolClient): LockWatch =>
    watchLocks({ ask: queryInSession, pid: pidOf(client), timeoutMs: bounds.lockTimeoutMs });
  const closing: (() => Promise<void>)[] = [];
  return {
    ...at,
    sessionName: config.application_name ?? '',
    installation: options.installation ?? 'plantsync',
    connect: () => connect(),
    openSession,
    async query(statement, values) {
      const client = await connect();
      const lockWatch = watch(client);
      try {
        return await runStatement(client, asConfig(statement, values), lockWatch);
      } finally {
        lockWatch.stop();
      }
    },
    queryInSession,
    watchLocks: watch,
    breakConnections() {
      for (const client of clients) client.breakConnection();
    },
    beforeClose: (work) => void closing.push(work),
    async close() {
      for (const work of closing.splice(0)) await work();
      await Promise.all([pool.end(), single.end()]);
    },
  };
}

/** The driver knows the number of the server process, and its types do not tell. */
function pidOf(client: PoolClient): number | undefined {
  return (client as PoolClient & { readonly processID?: number }).processID;
}

interface ServerFacts {
  /** `server_version_num`, for example 140011. */
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly replica: boolean;
}

/** Refuses a server that plantsync cannot use: older than 14, another encoding than UTF8, read-only, or behind a pooler that shares sessions. */
export async function checkServer(db: Database): Promise<{ version: string }> {
  const { rows } = await db.query<ServerFacts & QueryResultRow>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica`,
  );
  const [facts] = rows;
  const problem = facts === undefined ? 'it says nothing of itself' : whyRefused(facts);
  if (facts === undefined || problem !== undefined)
    throw new StoreError(
      `PostgreSQL at ${db.host}:${db.port}, database "${db.database}": ${problem}`,
      POSTGRES_STORE,
      'stop',
    );
  await checkPooling(db);
  return { version: facts.version };
}

/** What keeps plantsync from using such a server, and the remedy. */
export function whyRefused(facts: ServerFacts): string | undefined {
  if (facts.number < 140_000) return `version ${facts.version} is too old: PostgreSQL 14 or newer is needed`;
  if (facts.encoding !== 'UTF8')
    return `its encoding is ${facts.encoding}: make one with create database … encoding 'UTF8' template template0`;
  if (facts.replica) return 'it is a read-only replica: give the address of the primary';
  return undefined;
}

/** What the clock of the database shows, epoch milliseconds. */
export async function readDatabaseTime(db: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await db.query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  return Number(rows[0]?.ms);
}
