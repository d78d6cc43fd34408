import { once } from 'node:events';
import { Redis } from 'ioredis';
import { messageOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { createRedactor, listAddressSecrets, type Redact } from '../../redact.ts';
import { remedyOfCertificate } from '../../tls.ts';
import { RepeatedErrors } from '../repeated-errors.ts';
import { CONNECT_TIMEOUT_MS, type RedisSettings, redisAddress, redisOptions } from './redis-options.ts';
import { bareReply, checkRedisServer, type RedisFacts, remedyOf } from './redis-server.ts';

export type { RedisSettings } from './redis-options.ts';

/** A server that takes a command and does not answer counts as down after this time. */
const REPLY_TIMEOUT_MS = 3_000;
/** Life of the key that is written to see whether the server takes writes. */
const PULSE_SEC = 10;

/**
 * The connections of one process to Redis, made when they are first needed. They come back by themselves
 * after an outage. An outage is logged at most once a minute.
 */
export class RedisConnections {
  /** The client for work that must not wait: a command fails at once while Redis is down. */
  readonly hasty: Redis;
  /** The client for workers: a command waits until Redis is back. */
  readonly patient: Redis;
  /** Host and port of the server, without any secret. */
  readonly address: string;
  readonly #prefix: string;
  readonly #redact: Redact;
  readonly #repeatedErrors: RepeatedErrors;
  readonly #open: Redis[] = [];
  #lastError: string | undefined;
  #certificateRemedy: string | undefined;
  #wasUp = false;

  constructor(settings: RedisSettings, log: Logger) {
    this.address = redisAddress(settings.url);
    this.#prefix = settings.prefix;
    this.#redact = createRedactor([settings.password ?? '', ...listAddressSecrets(settings.url)]);
    this.#repeatedErrors = new RepeatedErrors({ redis: this.address }, log);
    const options = redisOptions(settings);
    this.hasty = this.#watch(
      new Redis({ ...options, enableOfflineQueue: false, commandTimeout: REPLY_TIMEOUT_MS }),
    );
    this.patient = this.#watch(new Redis({ ...options, maxRetriesPerRequest: null }));
    this.hasty.on('ready', () => {
      this.#lastError = undefined;
      this.#wasUp = true;
      this.#repeatedErrors.end();
    });
  }

  /** Begins to connect, and goes on trying, for callers that can do without Redis meanwhile. */
  begin(): void {
    if (this.hasty.status === 'wait') this.hasty.connect().catch((error) => this.#say(error));
  }

  /**
   * Waits for the connections, and refuses a server that is not fit. Throws a `StoreError`, whose action is
   * `retry` while the server is down. It may be called again.
   */
  async connect(): Promise<RedisFacts> {
    try {
      await waitUntilReady(this.hasty);
      const facts = checkRedisServer(await this.hasty.info(), this.address);
      await this.checkWrites();
      await waitUntilReady(this.patient);
      return facts;
    } catch (error) {
      throw this.asStoreError(error);
    }
  }

  /**
   * Rejects with a `StoreError` if the server takes no writes, because its memory is full or it is a replica.
   */
  async checkWrites(): Promise<void> {
    try {
      await this.hasty.set(`${this.#prefix}:pulse`, 1, 'EX', PULSE_SEC);
    } catch (error) {
      throw this.asStoreError(error);
    }
  }

  /**
   * Rejects with a `StoreError` if the server cannot be used now. Begins to connect if nobody has. Waits a
   * moment for the first connection only: later ones come by themselves.
   */
  async look(): Promise<void> {
    if (this.hasty.status === 'wait') await this.hasty.connect().catch(() => undefined);
    if (this.hasty.status !== 'ready') throw this.asStoreError(new Error('Connection is closed'));
    await this.checkWrites();
  }

  describe(): { isUp: boolean; reason?: string | undefined } {
    return this.hasty.status === 'ready' ? { isUp: true } : { isUp: false, reason: this.#lastError };
  }

  /**
   * Logs a trouble with Redis, unless the same one was logged just now. Before the first success nothing is
   * logged, because `connect` throws the trouble.
   */
  complain(error: unknown): void {
    if (!this.#wasUp) return;
    const isRefusal = remedyOf(bareReply(messageOf(error))) !== undefined;
    // While the server is up, BullMQ reports what it misses: a lock that ran out, or a job that a flush took
    // away.
    if (this.describe().isUp && !isRefusal)
      this.#repeatedErrors.say(
        `Redis at ${this.address}: ${this.#redact(messageOf(error))}`,
        'redis.lost_state',
      );
    else this.#say(error);
  }

  #say(error: unknown): void {
    const { code, message } = this.asStoreError(error);
    this.#repeatedErrors.say(message, code);
  }

  /**
   * Makes the error for people out of a failure. A refused login gets the action `stop`, because waiting does
   * not cure it.
   */
  asStoreError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const said = this.#redact(bareReply(messageOf(error)));
    // These messages say nothing of the cause; the error before them does.
    const isUnsaid =
      /^(Connection is closed|Stream isn't writeable|Command timed out|The operation was aborted)/;
    const reason = isUnsaid.test(said) ? (this.#lastError ?? 'no answer in time') : said;
    const { code, action, remedy } = remedyOf(reason) ?? {
      code:
        this.#certificateRemedy === undefined
          ? ('redis.unreachable' as const)
          : ('redis.tls_failed' as const),
      action: 'retry' as const,
      remedy: this.#certificateRemedy ?? 'start it, or correct redis.url',
    };
    return new StoreError(code, `Redis at ${this.address} cannot be used (${reason}): ${remedy}`, {
      action,
      cause: error,
    });
  }

  /**
   * Ends all connections at once, also those that BullMQ made of them. Commands that wait for a reply fail.
   */
  close(): void {
    for (const client of this.#open) endNow(client);
  }

  /**
   * Listens to the errors of a client and of the copies that BullMQ makes of it. An error without a listener
   * would end the process.
   */
  #watch(client: Redis): Redis {
    this.#open.push(client);
    client.on('error', (error) => {
      this.#lastError = this.#redact(messageOf(error));
      this.#certificateRemedy = remedyOfCertificate(error, 'redis.caFile');
      this.complain(error);
    });
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (override) => this.#watch(duplicate({ ...override, lazyConnect: false }));
    return client;
  }
}

/**
 * Ends a client at once. A client that waits for its next attempt to connect has no socket, and would not
 * report its end.
 */
function endNow(client: Redis): void {
  if (client.status === 'end') return;
  client.disconnect();
  if (client.status !== 'reconnecting') return;
  client.connect().catch(() => undefined);
  client.disconnect();
}

async function waitUntilReady(client: Redis): Promise<void> {
  if (client.status === 'ready') return;
  // The client's error event tells why the connection failed.
  if (client.status === 'wait') client.connect().catch(() => undefined);
  await once(client, 'ready', { signal: AbortSignal.timeout(2 * CONNECT_TIMEOUT_MS) });
}
