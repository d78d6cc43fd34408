import { once } from 'node:events';
import { Cluster } from 'ioredis';
import { messageOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { createRedactor, listAddressSecrets, type Redact } from '../../redact.ts';
import { steadyMs } from '../../steady-clock.ts';
import { RepeatedErrors } from '../repeated-errors.ts';
import { endNow, onCopy, openClient, type RedisClient } from './open-client.ts';
import { CONNECT_TIMEOUT_MS, describeTarget, type RedisSettings } from './redis-options.ts';
import { bareReply, checkRedisServer, type OptionNames, type RedisFacts, remedyOf } from './redis-server.ts';
import { describeMembers, type RedisSurvey, surveyRedis } from './redis-survey.ts';
import { describeTrouble, isUnsaid, namesOf, type Trouble } from './redis-trouble.ts';

export type { RedisClient } from './open-client.ts';
export type { RedisSettings } from './redis-options.ts';

/** The servers are asked at most once in this time: what they told may be this old. */
const SURVEY_AGE_MS = { whileAway: 2_000, whileUp: 10_000 } as const;
/** Life of the key that is written to see whether the server takes writes. */
const PULSE_SEC = 10;

/**
 * The connections of one process to Redis, made when they are first needed. They come back by themselves
 * after an outage, and follow a failover. An outage is logged at most once a minute.
 */
export class RedisConnections {
  /** The client for work that must not wait: a command fails at once while Redis is down. */
  readonly hasty: RedisClient;
  /** The client for workers: a command waits until Redis is back. */
  readonly patient: RedisClient;
  /** Which servers are meant, without any secret. */
  readonly address: string;
  readonly #settings: RedisSettings;
  readonly #names: OptionNames;
  readonly #redact: Redact;
  readonly #repeatedErrors: RepeatedErrors;
  readonly #open: RedisClient[] = [];
  #lastError: unknown;
  #survey: { readonly atMs: number; readonly found: Promise<RedisSurvey> } | undefined;
  /** What the servers themselves have told last about the reason. */
  #trouble: StoreError | undefined;
  #wasUp = false;

  constructor(settings: RedisSettings, log: Logger) {
    this.address = describeTarget(settings);
    this.#settings = settings;
    this.#names = namesOf(settings);
    const { password = '', sentinels, url = '' } = settings;
    this.#redact = createRedactor([password, sentinels?.password ?? '', ...listAddressSecrets(url)]);
    this.#repeatedErrors = new RepeatedErrors({ redis: this.address }, log);
    this.hasty = this.#watch(openClient(settings, 'hasty'));
    this.patient = this.#watch(openClient(settings, 'patient'));
    this.hasty.on('ready', () => {
      this.#lastError = undefined;
      this.#trouble = undefined;
      this.#survey = undefined;
      this.#wasUp = true;
      this.#repeatedErrors.end();
    });
    // A cluster that has lost a node, or found one, stays ready. The hasty client sees that first.
    for (const change of ['+node', '-node'])
      this.hasty.on(change, () => {
        this.#survey = undefined;
        for (const client of this.#open)
          if (client !== this.hasty && client instanceof Cluster && client.status === 'ready')
            client.refreshSlotsCache();
      });
  }

  /** Begins to connect, and goes on trying, for callers that can do without Redis meanwhile. */
  begin(): void {
    if (this.hasty.status === 'wait') this.hasty.connect().catch((error) => this.#note(error));
  }

  /**
   * Waits for the connections, and refuses a server that is not fit. Throws a `StoreError`, whose action is
   * `retry` while the server is down. It may be called again.
   */
  async connect(): Promise<RedisFacts> {
    try {
      await waitUntilReady(this.hasty);
      const facts = checkRedisServer(await this.#readInfo(), this.address, this.hasty.isCluster);
      await this.#writePulse();
      await waitUntilReady(this.patient);
      return facts;
    } catch (error) {
      throw await this.#explain(error);
    }
  }

  /**
   * Rejects with a `StoreError` if the server takes no writes, because its memory is full or it is a replica.
   */
  async checkWrites(): Promise<void> {
    try {
      await this.#writePulse();
    } catch (error) {
      throw await this.#explain(error);
    }
  }

  /**
   * Resolves to which servers were found, if there is more than one, and rejects with a `StoreError` if Redis
   * cannot be used now. Begins to connect if nobody has. Waits a moment for the first connection only: later
   * ones come by themselves.
   */
  async look(): Promise<string | undefined> {
    if (this.hasty.status === 'wait') await this.hasty.connect().catch(() => undefined);
    if (this.hasty.status !== 'ready') throw await this.#explain(new Error('Connection is closed'));
    await this.checkWrites();
    return this.describeServers();
  }

  /**
   * Says which master, replicas and sentinels there are, and which are away. Resolves to undefined for a
   * single server.
   */
  async describeServers(): Promise<string | undefined> {
    const { members } = await this.#ask(SURVEY_AGE_MS.whileUp);
    return members.length === 0 ? undefined : this.#redact(describeMembers(members));
  }

  describe(): { isUp: boolean; reason?: string | undefined } {
    if (this.hasty.status === 'ready') return { isUp: true };
    const said = this.#lastError === undefined ? undefined : this.#redact(messageOf(this.#lastError));
    return { isUp: false, reason: this.#trouble?.message ?? said };
  }

  /**
   * Logs a trouble with Redis, unless the same one was logged just now. Before the first success nothing is
   * logged, because `connect` throws the trouble.
   */
  complain(error: unknown): void {
    if (!this.#wasUp) return;
    const said = bareReply(messageOf(error));
    const isOfConnection = isUnsaid(error) || /\bE[A-Z]{4,}\b/.test(said);
    // While the server is up, BullMQ reports what it misses: a lock that ran out, or a job that a flush took
    // away.
    if (this.describe().isUp && !isOfConnection && remedyOf(said, this.#names) === undefined)
      this.#repeatedErrors.say(`Redis at ${this.address}: ${this.#redact(said)}`, 'redis.lost_state');
    else if (isUnsaid(error)) void this.#explain(error).then((trouble) => this.#say(trouble));
    else this.#say(this.asStoreError(error));
  }

  /**
   * Makes the error for people out of a failure. A refused login gets the action `stop`, because waiting does
   * not cure it.
   */
  asStoreError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    if (isUnsaid(error) && this.#trouble !== undefined) return this.#trouble;
    const cause = isUnsaid(error) ? (this.#lastError ?? new Error('no answer in time')) : error;
    return this.#describe({ error: cause, names: this.#names, who: `Redis at ${this.address}` });
  }

  /** Makes the error for people, and asks the servers for the reason if the failure does not tell it. */
  async #explain(error: unknown): Promise<StoreError> {
    if (isUnsaid(error)) await this.#ask(SURVEY_AGE_MS.whileAway);
    return this.asStoreError(error);
  }

  /** Asks the servers for their state, unless they were asked just now. */
  #ask(longestAgeMs: number): Promise<RedisSurvey> {
    const nowMs = steadyMs();
    if (this.#survey === undefined || nowMs - this.#survey.atMs > longestAgeMs)
      this.#survey = { atMs: nowMs, found: this.#askNow() };
    return this.#survey.found;
  }

  async #askNow(): Promise<RedisSurvey> {
    const survey = await surveyRedis(this.#settings);
    this.#trouble = survey.trouble && this.#describe(survey.trouble);
    return survey;
  }

  #describe(trouble: Trouble): StoreError {
    return describeTrouble(trouble, this.#redact);
  }

  #say({ code, message }: StoreError): void {
    this.#repeatedErrors.say(message, code);
  }

  /** Reads what the server says of itself. In a cluster it is the node that has our keys. */
  async #readInfo(): Promise<string> {
    return this.hasty.isCluster
      ? String(await this.hasty.eval("return redis.call('info')", 1, this.#pulseKey))
      : this.hasty.info();
  }

  async #writePulse(): Promise<void> {
    await this.hasty.set(this.#pulseKey, 1, 'EX', PULSE_SEC);
  }

  get #pulseKey(): string {
    return `${this.#settings.prefix}:pulse`;
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
  #watch<Client extends RedisClient>(client: Client): Client {
    this.#open.push(client);
    client.on('error', (error) => this.#note(causeOf(error)));
    // A cluster that has lost a node says nothing else as long as it has others.
    client.on('node error', (error) => {
      if (!isUnsaid(error)) this.#lastError = error;
    });
    onCopy(client, (copy) => this.#watch(copy));
    return client;
  }

  #note(error: unknown): void {
    if (!isUnsaid(error)) this.#lastError = error;
    this.complain(error);
  }
}

/** Returns why no node of a cluster could be used, as the last of them told. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

async function waitUntilReady(client: RedisClient): Promise<void> {
  if (client.status === 'ready') return;
  // The client's error event tells why the connection failed.
  if (client.status === 'wait') client.connect().catch(() => undefined);
  await once(client, 'ready', { signal: AbortSignal.timeout(2 * CONNECT_TIMEOUT_MS) });
}
