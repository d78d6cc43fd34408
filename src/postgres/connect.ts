import {
  type Client,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { addressOf, clientConfig, type PostgresOptions } from './client-config.ts';
import { cancelWhenGivenUp, throwIfGivenUp } from './give-up.ts';
import type { UsedServer } from './host-choice.ts';
import { type LockWatch, watchLocks } from './lock-watch.ts';
import { PoolSize } from './pool-size.ts';
import type { ServerAddress } from './postgres-errors.ts';
import type { Prepared } from './queryable.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { RoomWatch } from './room.ts';
import { asConfig, runStatement } from './run-statement.ts';
import { isNoFreeConnection, Sessions } from './sessions.ts';

/** Milliseconds that the server may take to end a connection. */
const END_TIMEOUT_MS = 5_000;

export { checkConnections, checkServer, whyRefused } from './check-server.ts';
export type { PostgresOptions } from './client-config.ts';
export { describeServer } from './host-choice.ts';

/** Runs a statement. Parameters and results are as in `type-parsers`. */
type RunStatement = <R extends QueryResultRow = Record<string, unknown>>(
  statement: string | Prepared,
  values?: unknown[],
) => Promise<QueryResult<R>>;

/** The server that is used, and in words what the others of the address are. */
export interface SeenServer extends UsedServer {
  readonly others: readonly string[];
}

/** An open Postgres database. Every error that it throws is a `StoreError` if it came from the server. */
export interface Database extends ServerAddress {
  /**
   * Runs one statement on any connection, and again after a deadlock or a serialization failure.
   */
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
   * Runs one statement, as `query` does, in a session outside the pool that all callers share, one after the
   * other. The session lives until the database is closed or the connection breaks. After a break the next
   * statement opens another session. It is for what must end together with the process.
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
  /** Returns the server of the last session. Returns undefined before the first one. */
  server(): SeenServer | undefined;
  /**
   * Does work whenever the server has become another one, or has another history, as after a failover. What
   * was written last may be lost then, so what a process remembers of the database may be wrong.
   */
  onServerChange(work: () => void): void;
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
  const sessions = new Sessions({ config, at, bounds, room, log });
  const { hosts } = sessions;
  const openPool = (poolConfig: PoolConfig, patienceMs: () => number | undefined): Pool => {
    // The pool has no time-out of its own, which would also limit the wait for a free connection. The clients
    // have one.
    const pool = new Pool({
      ...poolConfig,
      Client: sessions.Client as never,
      onConnect: (client) => sessions.prepare(client as never, patienceMs()),
    });
    // The pool repeats the errors of its idle clients, which are logged already. It must have a listener all
    // the same.
    pool.on('error', (error) => log.debug({ reason: error.message }, 'an idle connection was removed'));
    return pool;
  };
  const pool = openPool({ max: options.maxConnections ?? 10 }, () => size.patienceMs);
  const single = openPool({ max: 1, idleTimeoutMillis: 0 }, () => undefined);
  const size = new PoolSize(pool, log);
  room.onSeatNeeded(() => size.spareOne());

  /** Opens something, and once more at another server if the chosen one cannot be used any more. */
  const open = async <T>(opening: () => Promise<T>): Promise<T> => {
    try {
      return await opening();
    } catch (error) {
      const isElsewhere = hosts.isChoice && error instanceof StoreError && error.action === 'retry';
      if (!isElsewhere || error.code === 'postgres.no_primary' || isNoFreeConnection(error)) throw error;
      return opening();
    }
  };
  /** Opens a session that everything depends on. The pool gives up a connection if a pooler has none left. */
  const openNeeded = async <T>(opening: () => Promise<T>): Promise<T> => {
    try {
      return await open(opening);
    } catch (error) {
      if (isNoFreeConnection(error)) room.needSeat();
      throw error;
    }
  };
  const connect = async (): Promise<PoolClient> => {
    for (;;)
      try {
        return await open(() => pool.connect());
      } catch (error) {
        if (!isNoFreeConnection(error) || !size.hasAny) throw error;
        size.lackOne();
      }
  };
  const openSession = (): Promise<Client> => openNeeded(() => sessions.open());
  const queryInSession: RunStatement = (statement, values) =>
    retryConflicts(async () =>
      runStatement(await openNeeded(() => single.connect()), asConfig(statement, values)),
    );
  const watch = (client: PoolClient): LockWatch =>
    watchLocks({ ask: queryInSession, pid: pidOf(client), timeoutMs: bounds.lockTimeoutMs });
  const queryOnce = async <R extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<R>> => {
    const client = await connect();
    throwIfGivenUp(() => client.release());
    const lockWatch = watch(client);
    const settle = cancelWhenGivenUp(() => queryInSession('select pg_cancel_backend($1)', [pidOf(client)]));
    try {
      return await runStatement(client, config, { watch: lockWatch, settle });
    } finally {
      lockWatch.stop();
    }
  };
  const closing: (() => Promise<void>)[] = [];
  return {
    user: at.user,
    database: at.database,
    get host() {
      return hosts.place.host;
    },
    get port() {
      return hosts.place.port;
    },
    server: () => hosts.used && { ...hosts.used, others: hosts.others },
    onServerChange: (work) => sessions.onChange(work),
    sessionName: config.application_name ?? '',
    installation: options.installation ?? 'plantsync',
    room,
    connect,
    openSession,
    query: (statement, values) => retryConflicts(() => queryOnce(asConfig(statement, values))),
    queryInSession,
    watchLocks: watch,
    breakConnections: () => sessions.breakAll(),
    beforeClose: (work) => void closing.push(work),
    async close() {
      for (const work of closing.splice(0)) await work();
      size.close();
      await Promise.all([pool.end(), single.end()]);
      await sessions.close(END_TIMEOUT_MS);
    },
  };
}

/** Returns the number of the server process. The driver knows this number, and its types do not show it. */
function pidOf(client: PoolClient): number | undefined {
  return (client as PoolClient & { readonly processID?: number }).processID;
}

/** Returns the time that the clock of the database shows, in epoch milliseconds. */
export async function readDatabaseTime(db: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await db.query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  return Number(rows[0]?.ms);
}
