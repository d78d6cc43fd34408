import {
  type Client,
  type ClientBase,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import type { CodeOf } from '../error-codes/error-codes.ts';
import { StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { addressOf, clientConfig, type PostgresOptions } from './client-config.ts';
import { cancelWhenGivenUp, throwIfGivenUp } from './give-up.ts';
import { GuardedClient } from './guarded-client.ts';
import { type LockWatch, watchLocks } from './lock-watch.ts';
import { checkPooling } from './pooling.ts';
import { asConnectError, type ServerAddress } from './postgres-errors.ts';
import type { Prepared } from './queryable.ts';
import { RoomWatch } from './room.ts';
import { asConfig, runStatement } from './run-statement.ts';
import { boundsSql } from './session-bounds.ts';
import { sessionSettings } from './session-settings.ts';

/** Milliseconds that the server may take to end a connection. */
const END_TIMEOUT_MS = 5_000;

export type { PostgresOptions } from './client-config.ts';

/** Runs a statement. Parameters and results are as in `type-parsers`. */
type RunStatement = <R extends QueryResultRow = Record<string, unknown>>(
  statement: string | Prepared,
  values?: unknown[],
) => Promise<QueryResult<R>>;

/** An open Postgres database. Every error that it throws is a `StoreError` if it came from the server. */
export interface Database extends ServerAddress {
  /** Runs one statement on any connection. */
  readonly query: RunStatement;
  /**
   * Waits for a free connection of the pool, for COPY and transactions. The caller gives it back by
   * `release()`.
   */
  connect(): Promise<PoolClient>;
  /**
   * Opens a connection outside the pool, for locks that live as long as their session. The caller ends it.
   */
  openSession(): Promise<Client>;
  /**
   * Runs one statement in a session outside the pool that all callers share, one after the other. The session
   * lives until the database is closed or the connection breaks. After a break the next statement opens
   * another session. It is for what must end together with the process.
   */
  readonly queryInSession: RunStatement;
  /** The name of the sessions of this process, by which people and other processes know them. */
  readonly sessionName: string;
  /** Keeps the locks of installations in one database apart. */
  readonly installation: string;
  /** Tells whether the server has room on its disk. */
  readonly room: RoomWatch;
  /** Watches whether a session waits for a lock, and for which one. */
  watchLocks(client: PoolClient): LockWatch;
  /**
   * Breaks all connections. Statements that wait for the server fail, and later statements open other
   * connections.
   */
  breakConnections(): void;
  /** Adds work that is done before the database closes. */
  beforeClose(work: () => Promise<void>): void;
  /** Waits until all connections are given back, then closes them. No session is left at the server. */
  close(): Promise<void>;
}

/**
 * Opens a pool of connections. No connection is made before the first use. If an idle connection breaks, this
 * is logged, and another one replaces it. A server that does not answer is an error after `connectTimeoutMs`.
 */
export function openPostgres(options: PostgresOptions, log: Logger): Database {
  const config = clientConfig(options);
  const at = addressOf(config);
  const bounds = { lockTimeoutMs: options.lockTimeoutMs ?? 60_000 };
  const { room = new RoomWatch() } = options;
  const clients = new Set<GuardedClient>();
  class OurClient extends GuardedClient {
    constructor() {
      super(config, {
        onLost: (error) =>
          log.warn(
            { reason: error.message, code: 'postgres.connection_lost' satisfies CodeOf<'postgres'> },
            `a connection to PostgreSQL at ${at.host}:${at.port} was lost`,
          ),
        onServerError: (error) => room.note(error),
      });
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  const prepareSession = async (client: ClientBase): Promise<void> => {
    await client.query(`${sessionSettings}; ${boundsSql(bounds)}`);
  };
  const openPool = (poolConfig: PoolConfig): Pool => {
    // The pool has no time-out of its own, which would also limit the wait for a free connection. The clients
    // have one.
    const pool = new Pool({ ...poolConfig, Client: OurClient, onConnect: prepareSession });
    // The pool repeats the errors of its idle clients, which are logged already. It must have a listener all
    // the same.
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
    room,
    connect: () => connect(),
    openSession,
    async query(statement, values) {
      const client = await connect();
      throwIfGivenUp(() => client.release());
      const lockWatch = watch(client);
      const settle = cancelWhenGivenUp(() => queryInSession('select pg_cancel_backend($1)', [pidOf(client)]));
      try {
        return await runStatement(client, asConfig(statement, values), { watch: lockWatch, settle });
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
      await waitForEnds(clients);
    },
  };
}

/**
 * Waits for connections that were told to end, because the pools do not wait. Breaks those that a server
 * without an answer keeps open.
 */
async function waitForEnds(clients: ReadonlySet<GuardedClient>): Promise<void> {
  const ending = [...clients].filter((client) => client.ending !== undefined);
  const giveUp = setTimeout(() => {
    for (const client of ending) client.breakConnection();
  }, END_TIMEOUT_MS);
  await Promise.all(ending.map((client) => client.ending));
  clearTimeout(giveUp);
}

/** Returns the number of the server process. The driver knows this number, and its types do not show it. */
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

/**
 * Refuses a server that plantsync cannot use. Such a server is older than 14, has another encoding than UTF8,
 * is read-only, or stands behind a pooler that shares sessions.
 */
export async function checkServer(db: Database): Promise<{ version: string }> {
  const { rows } = await db.query<ServerFacts & QueryResultRow>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica`,
  );
  const [facts] = rows;
  const refuse = (code: CodeOf<'postgres'>, problem: string) =>
    new StoreError(code, `PostgreSQL at ${db.host}:${db.port}, database "${db.database}": ${problem}`, {
      action: 'stop',
    });
  if (facts === undefined) throw refuse('postgres.connect_failed', 'the server says nothing about itself');
  const refused = whyRefused(facts);
  if (refused !== undefined) throw refuse(refused.code, refused.problem);
  await checkPooling(db);
  return { version: facts.version };
}

/**
 * Returns why plantsync cannot use such a server, with the remedy. Returns undefined if plantsync can use it.
 */
export function whyRefused(
  facts: ServerFacts,
): { readonly code: CodeOf<'postgres'>; readonly problem: string } | undefined {
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
      problem: 'it is a read-only replica: give the address of the primary',
    };
  return undefined;
}

/** Returns the time that the clock of the database shows, in epoch milliseconds. */
export async function readDatabaseTime(db: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await db.query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  return Number(rows[0]?.ms);
}
