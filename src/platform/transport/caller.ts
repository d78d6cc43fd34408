import { jitteredBackoffMs } from '../../backoff.ts';
import { InterruptedError, PlatformError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Sleep } from '../../sleep.ts';
import type { Tracing } from '../../tracing.ts';
import { callError, interruption } from '../call-error.ts';
import { classifyError, type Failure } from '../failure.ts';
import type { CallOptions, StoredToken } from '../platform.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { type ParseInParts, parseAhead, parseInParts, readReply } from '../reply.ts';
import type { BuiltRequest } from '../request.ts';
import type { TokenKeeper } from '../token/token-keeper.ts';
import { CallSignals } from './call-signals.ts';
import type { AdaptiveConcurrency, LoadSign } from './concurrency.ts';
import { Deadline } from './deadline.ts';
import type { RequestSpacing } from './request-spacing.ts';
import type { Sender, SentReply } from './sender.ts';

/** Waits before a call is tried again. */
const RETRY_WAITS = { firstMs: 500, longestMs: 20_000 };

/** One call: a request, and how the body of its reply is read. */
export interface Call<T> {
  readonly request: BuiltRequest;
  /** Parses the body. Without it the body is parsed like most others. */
  readonly parse?: ParseInParts | undefined;
  /** Reads the parsed body. Throws `MalformedReply` if the body is not what the contract says. */
  readonly decode: (body: unknown, reply: SentReply) => T;
  readonly options: CallOptions;
  /** Token operations leave this out: they need neither a token nor a place among the other requests. */
  readonly tokens?: TokenKeeper | undefined;
}

export interface CallerDeps {
  readonly options: PlatformOptions;
  readonly sender: Sender;
  readonly concurrency: AdaptiveConcurrency;
  readonly spacing: RequestSpacing;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly clock: () => number;
  readonly steadyMs: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** A call that is under way. */
type RunningCall<T> = Call<T> & { readonly signal: AbortSignal };
/** What came of one attempt. */
type Outcome<T> =
  | { readonly value: T; readonly failure?: never }
  | { readonly failure: Failure; readonly token: StoredToken | undefined };

/**
 * Carries out calls: waits for a place and a turn, adds the token, sends, reads, and tries again what may be
 * tried again. No other part of the program retries requests to the platform.
 */
export class Caller {
  retries = 0;
  failures = 0;
  /** When a request with a token last succeeded, by the clock that nobody sets. */
  lastSuccessMs: number | undefined;
  readonly #deps: CallerDeps;
  readonly #signals = new CallSignals();

  constructor(parts: CallerDeps) {
    this.#deps = parts;
  }

  /**
   * Carries out a call, and returns what `decode` returns. Throws a `PlatformError`, an error of the token's
   * store, or an `InterruptedError` if the signal aborts.
   */
  async run<T>(call: Call<T>): Promise<T> {
    const outer = call.options.signal;
    const signal = this.#signals.enter(outer);
    try {
      return await this.#tryRepeatedly({ ...call, signal });
    } catch (error) {
      if (signal.aborted) throw interruption(signal.reason);
      if (error instanceof PlatformError) this.#noteFailed(error);
      throw error;
    } finally {
      this.#signals.leave(outer);
    }
  }

  #noteFailed({ operation, kind }: PlatformError): void {
    this.failures += 1;
    this.#deps.metrics.countFailedCall(operation, kind);
  }

  /** Ends all calls that are under way, and every later call. */
  close(): void {
    this.#signals.close(
      new InterruptedError('interrupted.by_signal', 'the connection to the platform was closed'),
    );
  }

  async #tryRepeatedly<T>(call: RunningCall<T>): Promise<T> {
    const { options, steadyMs, random, sleep, log, metrics } = this.#deps;
    const { request } = call;
    const allowedRetries = call.options.retries ?? options.retries;
    const deadline = new Deadline(call.options.deadlineMs ?? options.deadlineMs, steadyMs);
    let renewed = false;
    let last: Failure | undefined;
    for (let retry = 0; ; ) {
      const outcome = await this.#attempt(call, deadline, last);
      if (outcome.failure === undefined) return outcome.value;
      const { failure } = outcome;
      last = failure;
      if (!renewed && (await this.#replaceToken(call, outcome))) {
        renewed = true;
        continue;
      }
      if (renewed && failure.refusedToken && outcome.token !== undefined)
        call.tokens?.refusedAgain(outcome.token, request.id);
      const waitMs = (failure.retryAfterMs ?? 0) + jitteredBackoffMs(RETRY_WAITS, retry, random);
      const mayRepeat = request.operation.kind !== 'write' || failure.notDone;
      if (
        !mayRepeat ||
        retry >= Math.min(allowedRetries, failure.retries) ||
        waitMs >= deadline.remainingMs()
      )
        throw callError(request, failure, retry + 1);
      retry += 1;
      this.retries += 1;
      metrics.countRetry(request.id);
      log.debug(
        { operation: request.id, retry, waitMs: Math.round(waitMs), reason: failure.reason },
        'trying again',
      );
      await sleep(waitMs, call.signal);
    }
  }

  /** Replaces the token if the failure was about the token. Returns true if there is another token now. */
  async #replaceToken<T>(
    { tokens, request, signal }: RunningCall<T>,
    { failure, token }: { failure: Failure; token: StoredToken | undefined },
  ): Promise<boolean> {
    if (!failure.refusedToken || token === undefined || tokens === undefined) return false;
    return tokens.replace(token, request.id, signal);
  }

  async #attempt<T>(
    call: RunningCall<T>,
    deadline: Deadline,
    last: Failure | undefined,
  ): Promise<Outcome<T>> {
    const { concurrency, spacing, steadyMs, options, metrics, log } = this.#deps;
    const { tokens, signal, request } = call;
    const { priority } = call.options;
    const slot =
      tokens === undefined
        ? undefined
        : await concurrency.acquire(signal, { priority, ahead: deadline.hasBegun });
    let sign: LoadSign = 'none';
    let latencyMs = 0;
    try {
      // The token comes first. Requests that waited for it after their turn would pile up and then go out at
      // once.
      await tokens?.current(signal);
      await spacing.take(signal);
      const token = tokens?.held;
      // The wait for a place or a token may have taken the time that was left.
      if (last !== undefined && deadline.remainingMs() <= 0) return { failure: last, token: undefined };
      deadline.begin();
      call.options.onRequest?.();
      const startedMs = steadyMs();
      const timeoutMs = Math.max(1, Math.min(options.requestTimeoutMs, deadline.remainingMs()));
      const outcome = await this.#sendTraced(call, token, timeoutMs);
      latencyMs = steadyMs() - startedMs;
      sign = outcome.failure?.load ?? 'ok';
      metrics.countRequest({
        operation: request.id,
        outcome: outcome.failure?.kind ?? 'ok',
        seconds: latencyMs / 1000,
      });
      // Time-outs are few: each takes long, and they bring the concurrency down.
      if (outcome.failure?.kind === 'timeout')
        log.warn(
          { operation: request.id, code: outcome.failure.code },
          `${request.label} was given up: ${outcome.failure.reason}`,
        );
      if (outcome.failure?.status === 429) this.#pauseAll(outcome.failure.retryAfterMs ?? 0);
      if (outcome.failure === undefined && token !== undefined) {
        this.lastSuccessMs = steadyMs();
        tokens?.accept(token, request.id);
      }
      return outcome;
    } finally {
      slot?.release(sign, request.id, latencyMs);
    }
  }

  /**
   * Holds back all requests as the platform asked. A pause that is longer than any call may take is left out:
   * each call then fails by itself.
   */
  #pauseAll(ms: number): void {
    if (ms < this.#deps.options.deadlineMs) this.#deps.spacing.pause(ms);
  }

  /** Sends and reads within a span. Its facts name the operation, never a path or a query. */
  #sendTraced<T>(
    call: RunningCall<T>,
    token: StoredToken | undefined,
    timeoutMs: number,
  ): Promise<Outcome<T>> {
    const { id, operation } = call.request;
    const facts = { operation: id, 'http.request.method': operation.method, 'url.template': operation.path };
    return this.#deps.tracing.span({ name: `request ${id}`, facts, isRequest: true }, async (span) => {
      const outcome = await this.#sendAndRead(call, token, timeoutMs);
      const { failure } = outcome;
      if (failure !== undefined) {
        span.note({ 'http.response.status_code': failure.status });
        span.fail(failure.code);
      }
      return outcome;
    });
  }

  async #sendAndRead<T>(
    { request, parse = parseInParts, decode, signal }: RunningCall<T>,
    token: StoredToken | undefined,
    timeoutMs: number,
  ): Promise<Outcome<T>> {
    const { sender, clock } = this.#deps;
    try {
      const reply = await sender.send(request, token?.accessToken, { timeoutMs, signal });
      const secrets = token === undefined ? request.secrets : [...request.secrets, token.accessToken];
      const parsed = await parseAhead(parse, reply.content);
      const read = readReply({ ...request, secrets }, reply, { nowMs: clock(), parse: parsed });
      if ('failure' in read) return { failure: read.failure, token };
      return { value: decode(read.body, reply) };
    } catch (error) {
      signal.throwIfAborted();
      return { failure: classifyError(error), token };
    }
  }
}
