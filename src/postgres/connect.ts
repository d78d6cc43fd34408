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
import { asConnectError, asStoreError, postgresStore, type ServerAddress } from './errors.ts';
import { GuardedClient } from './guarded-client.ts';
import type { Prepared } from './queryable.ts';
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
  class OurClient extends GuardedClient {
    constructor() {
      super(config, (error) =>
        log.warn({ reason: error.message }, `a connection to PostgreSQL at ${at.host}:${at.port} was lost`),
      );
    }
  }
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
  return {
    ...at,
    connect: () => connect(),
    openSession,
    query: async (statement, values) => runStatement(await connect(), statement, values),
    queryInSession: async (statement, values) => runStatement(await connect(single), statement, values),
    async close() {
      await Promise.all([pool.end(), single.end()]);
    },
  };
}

/** Runs the statement and gives the client back, or throws it away if it cannot be trusted any more. */
async function runStatement<R extends QueryResultRow>(
  client: PoolClient,
  statement: string | Prepared,
  values?: unknown[],
): Promise<QueryResult<R>> {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  let broken = false;
  try {
    return await client.query<R>(config, values);
  } catch (error) {
    const failure = asStoreError(error, `statement "${firstWords(config.text)}"`);
    broken = failure instanceof StoreError && failure.action === 'retry';
    throw failure;
  } finally {
    client.release(broken);
  }
}

async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(sessionSettings);
}

function firstWords(text: string): string {
  return text.trim().split(/\s+/).slice(0, 4).join(' ');
}

interface ServerFacts {
  /** `server_version_num`, for example 140011. */
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly replica: boolean;
}

/** Refuses a server that plantsync cannot use: older than 14, another encoding than UTF8, or read-only. */
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
      postgresStore,
      'stop',
    );
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
