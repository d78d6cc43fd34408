import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../log.ts';

/** Time after which a pool tries again whether it gets as many connections as it may have. */
const RAISE_AFTER_MS = 60_000;
/** How long work waits for a further connection, when it could wait for one that is open as well. */
const PATIENCE_MS = 1_000;

/**
 * Keeps a pool no larger than the pooler between it and the server. A pooler with a small pool takes a login,
 * and lets it wait until somebody else leaves. Work that waits so would wait for long, while the connections
 * that are open become free one after the other. A busy server, or a busy process, looks the same for a
 * while.
 */
export class PoolSize {
  readonly #pool: Pool;
  readonly #most: number;
  readonly #log: Logger;
  /** Connections that can be used. The pool also removes some that never could. */
  readonly #ready = new Set<PoolClient>();
  /** The smallest size that the log has told. */
  #least: number;
  #raise: NodeJS.Timeout | undefined;

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool;
    this.#most = pool.options.max;
    this.#least = this.#most;
    this.#log = log;
    pool.on('connect', (client) => void this.#ready.add(client));
    pool.on('remove', (client) => void this.#ready.delete(client));
    pool.on('release', (_, client) => {
      // The pool takes back no client that is ending.
      if (this.#ready.size > pool.options.max) void (client as unknown as { end(): Promise<void> }).end();
    });
  }

  /** True if a connection of the pool becomes free sooner or later. */
  get hasAny(): boolean {
    return this.#ready.size > 0;
  }

  /** How long a new connection may take to answer. Undefined if the pool has no other. */
  get patienceMs(): number | undefined {
    return this.hasAny ? PATIENCE_MS : undefined;
  }

  /** Notes that the pool got no further connection: it makes do with those that it has. */
  lackOne(): void {
    this.#limit(this.#ready.size);
  }

  /** Gives up a connection, if there is more than one, for a session that everything depends on. */
  spareOne(): void {
    this.#limit(this.#ready.size - 1);
  }

  close(): void {
    clearTimeout(this.#raise);
  }

  #limit(size: number): void {
    const { options } = this.#pool;
    const limit = Math.max(1, size);
    if (limit < this.#least)
      this.#log.warn(
        { connections: limit, poolSize: this.#most, code: 'postgres.no_free_connection' },
        'PostgreSQL, or a pooler in front of it, opens no further connection in time: work waits for those that are open',
      );
    this.#least = Math.min(this.#least, limit);
    options.max = Math.min(options.max, limit);
    clearTimeout(this.#raise);
    this.#raise = setTimeout(() => {
      options.max = this.#most;
    }, RAISE_AFTER_MS).unref();
  }
}
