import type { Client } from 'pg';
import type { CodeOf } from '../error-codes/error-codes.ts';
import { StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { ServerConfig } from './client-config.ts';
import { type ClientHooks, GuardedClient } from './guarded-client.ts';
import { HostChoice, historyOf } from './host-choice.ts';
import { asConnectError, type ServerAddress } from './postgres-errors.ts';
import type { RoomWatch } from './room.ts';
import { readServerFacts, type ServerFacts } from './server-facts.ts';
import type { ServerPlace } from './server-list.ts';
import { boundsSql, type SessionBounds } from './session-bounds.ts';
import { sessionSettings } from './session-settings.ts';

/** The least time that a server has for the first statements of a session, on a busy machine. */
const LEAST_BEGIN_MS = 2_000;
const READ_ONLY = '25006';
const NO_FREE: CodeOf<'postgres'> = 'postgres.no_free_connection';

export interface SessionsOptions {
  readonly config: ServerConfig;
  /** The address with its first server. */
  readonly at: ServerAddress;
  readonly bounds: SessionBounds;
  readonly room: RoomWatch;
  readonly log: Logger;
}

/**
 * Opens all connections of a database. It chooses their server, sets them up, and throws away those whose
 * server has become another one.
 */
export class Sessions {
  readonly hosts: HostChoice;
  /** The client for a pool, which makes it without arguments. */
  readonly Client: new () => GuardedClient;
  readonly #options: SessionsOptions;
  readonly #open = new Set<GuardedClient>();
  /** Those that only ask a server what it is. */
  readonly #asking = new Set<GuardedClient>();
  readonly #changes: (() => void)[] = [];

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { at, config, log } = options;
    const [first = at, ...others] = config.servers;
    this.hosts = new HostChoice({
      servers: [{ host: first.host, port: first.port }, ...others],
      demand: config.demand,
      ask: (place) => this.#askFacts(place),
      log,
      onChange: () => this.#leaveOld(),
    });
    const make = () => this.#make(() => this.hosts.choose());
    this.Client = class {
      constructor() {
        // biome-ignore lint/correctness/noConstructorReturn: a pool makes its clients by `new` alone.
        return make();
      }
    } as never;
  }

  /** Does work whenever the server has become another one, or has another history. */
  onChange(work: () => void): void {
    this.#changes.push(work);
  }

  /** Opens a session outside the pools. The caller ends it. */
  async open(): Promise<Client> {
    const client = this.#make(() => this.hosts.choose());
    try {
      await client.connect();
      await this.prepare(client);
      return client;
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /**
   * Sets up a session that has just connected. Rejects if nothing may be written to its server, or if the
   * server does not answer. A pooler without a free connection takes a login, and answers nothing.
   */
  async prepare(client: GuardedClient, patienceMs?: number): Promise<void> {
    const { bounds, config } = this.#options;
    const limitMs = patienceMs ?? Math.max(LEAST_BEGIN_MS, config.connectionTimeoutMillis ?? 0);
    let isLate = false;
    const giveUp = setTimeout(() => {
      isLate = true;
      client.breakConnection();
    }, limitMs);
    try {
      const facts = await readServerFacts(client);
      this.hosts.admit(client.place, facts);
      client.history = historyOf({ ...client.place, ...facts });
      await client.query(`${sessionSettings}; ${boundsSql(bounds)}`);
    } catch (error) {
      throw isLate ? this.#noFreeConnection(client.place, limitMs) : this.#explain(error, client.place);
    } finally {
      clearTimeout(giveUp);
    }
  }

  /** Breaks all connections. */
  breakAll(): void {
    for (const client of this.#open) client.breakConnection();
  }

  /**
   * Ends the looks at the servers. Waits for connections that were told to end, because pools do not wait.
   * Breaks those that do not end.
   */
  async close(timeoutMs: number): Promise<void> {
    this.hosts.close();
    for (const client of this.#asking) client.breakConnection();
    const ending = [...this.#open].filter((client) => client.ending !== undefined);
    const giveUp = setTimeout(() => {
      for (const client of ending) client.breakConnection();
    }, timeoutMs);
    await Promise.all(ending.map((client) => client.ending));
    clearTimeout(giveUp);
  }

  #make(choosePlace: ClientHooks['choosePlace']): GuardedClient {
    const { config, room, log } = this.#options;
    const client = new GuardedClient(config, {
      choosePlace,
      onFailed: (error, place) => this.#explain(error, place),
      onLost: (error, { host, port }) =>
        log.warn(
          { reason: error.message, code: 'postgres.connection_lost' satisfies CodeOf<'postgres'> },
          `a connection to PostgreSQL at ${host}:${port} was lost`,
        ),
      onServerError: (error, place) => {
        room.note(error);
        if (error.code === READ_ONLY) this.#leaveReadOnly(place);
      },
    });
    this.#open.add(client);
    client.once('end', () => {
      this.#open.delete(client);
      if (client.ending === undefined) this.hosts.doubt(client.place);
    });
    return client;
  }

  /** Asks a server what it is, in a session that is ended at once. */
  async #askFacts(place: ServerPlace): Promise<ServerFacts> {
    const client = this.#make(async () => place);
    this.#asking.add(client);
    try {
      await client.connect();
      return await readServerFacts(client);
    } catch (error) {
      throw this.#explain(error, place);
    } finally {
      this.#asking.delete(client);
      await client.end();
    }
  }

  #explain(error: unknown, place: ServerPlace): Error {
    const explained = asConnectError(error, { ...this.#options.at, ...place });
    if (explained instanceof StoreError && explained.action === 'retry') this.hosts.doubt(place);
    return explained;
  }

  /**
   * Breaks the connections to a server that takes no writes any more. Those that only read would go on to
   * read what is no longer true.
   */
  #leaveReadOnly(place: ServerPlace): void {
    this.hosts.doubt(place);
    // The statement that failed gets its error first.
    setImmediate(() => this.breakAll());
  }

  #leaveOld(): void {
    const { used } = this.hosts;
    const history = used && historyOf(used);
    for (const client of this.#open)
      if (client.history !== undefined && client.history !== history) client.breakConnection();
    for (const work of this.#changes) work();
  }

  #noFreeConnection({ host, port }: ServerPlace, limitMs: number): StoreError {
    return new StoreError(
      NO_FREE,
      `PostgreSQL at ${host}:${port} took a login, and answered nothing within ${limitMs / 1000} s: ` +
        'a pooler such as PgBouncer has no free connection (raise its pool_size), or the server stands still',
      { action: 'retry' },
    );
  }
}

/** Tells whether an error says that a pooler has no free connection. */
export function isNoFreeConnection(error: unknown): boolean {
  return error instanceof StoreError && error.code === NO_FREE;
}
