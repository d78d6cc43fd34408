import { PlatformError, StoreError } from '../../errors.ts';
import type { OperationId } from '../operations.ts';
import type { StoredToken, TokenStore } from '../platform.ts';

/** How a new token is had from the platform; both retry by themselves. */
export interface TokenSource {
  refresh(refreshToken: string): Promise<StoredToken>;
  grant(): Promise<StoredToken>;
}

/** A token is renewed when this share of its life is over. */
const FRESH_SHARE = 0.8;
/** The clocks of processes that share a token may differ by so much. */
const CLOCK_TOLERANCE_MS = 60_000;
/** After a failed renewal its error stands for this long, so that a run of many lists does not wait for each. */
const FAILURE_STANDS_MS = 15_000;
/** A renewal that did not help is not repeated for this long. */
const UNHELPFUL_MS = 60_000;

/**
 * Keeps one access token fresh for all calls of the process, with one renewal at a time. It never renews without a request that needs
 * it, and remembers where a new token was refused too, so that a platform that refuses everything is not stormed.
 */
export class TokenKeeper {
  readonly #store: TokenStore;
  readonly #source: TokenSource;
  readonly #clock: () => number;
  readonly #steadyMs: () => number;
  #held: StoredToken | undefined;
  /** The held token was accepted by some operation, or comes from the store: a refusal then means that it ended. */
  #proven = false;
  #renewal: Promise<StoredToken> | undefined;
  #failure: { readonly error: PlatformError; readonly untilMs: number } | undefined;
  readonly #unhelpfulUntilMs = new Map<OperationId | 'any', number>();

  constructor(parts: {
    store: TokenStore;
    source: TokenSource;
    clock: () => number;
    steadyMs: () => number;
  }) {
    this.#store = parts.store;
    this.#source = parts.source;
    this.#clock = parts.clock;
    this.#steadyMs = parts.steadyMs;
  }

  /** The newest token that is known, for whoever has waited for `current` and must not wait again; it lives on for a fifth of its time at least. */
  get held(): StoredToken | undefined {
    return this.#held;
  }

  /** A token that is not known to have ended. Throws the token operation's `PlatformError`, or the store's error. */
  async current(signal: AbortSignal): Promise<StoredToken> {
    const held = this.#held;
    if (held !== undefined && this.#isFresh(held)) return held;
    try {
      return await this.#renew(held, signal);
    } catch (error) {
      // The last fifth of its life is there to get over a failing renewal.
      if (held !== undefined && this.#clock() < held.expiresAtMs && !signal.aborted) return held;
      return this.#renewAlone(error, signal);
    }
  }

  /** An operation took the token. */
  accept(token: StoredToken, operation: OperationId): void {
    if (this.#unhelpfulUntilMs.size > 0) {
      this.#unhelpfulUntilMs.delete(operation);
      this.#unhelpfulUntilMs.delete('any');
    }
    if (token.accessToken === this.#held?.accessToken) this.#proven = true;
  }

  /** An operation refused the token. Resolves to true once there is another one, to false if renewing is known not to help. */
  async replace(token: StoredToken, operation: OperationId, signal: AbortSignal): Promise<boolean> {
    if (token.accessToken !== this.#held?.accessToken) return true;
    if (this.#isUnhelpful(operation) || (!this.#proven && this.#isUnhelpful('any'))) return false;
    try {
      await this.#renew(token, signal);
    } catch (error) {
      await this.#renewAlone(error, signal);
    }
    return true;
  }

  /** An operation refused even a renewed token. */
  refusedAgain(token: StoredToken, operation: OperationId): void {
    const untilMs = this.#steadyMs() + UNHELPFUL_MS;
    this.#unhelpfulUntilMs.set(operation, untilMs);
    if (token.accessToken === this.#held?.accessToken && !this.#proven)
      this.#unhelpfulUntilMs.set('any', untilMs);
  }

  #isUnhelpful(key: OperationId | 'any'): boolean {
    return this.#steadyMs() < (this.#unhelpfulUntilMs.get(key) ?? Number.NEGATIVE_INFINITY);
  }

  #isFresh({ issuedAtMs, expiresAtMs }: StoredToken): boolean {
    const nowMs = this.#clock();
    // One from the future was dated by a wrong clock: nobody knows when it ends.
    return (
      nowMs >= issuedAtMs - CLOCK_TOLERANCE_MS &&
      nowMs < issuedAtMs + FRESH_SHARE * (expiresAtMs - issuedAtMs)
    );
  }

  #renew(replaced: StoredToken | undefined, signal: AbortSignal): Promise<StoredToken> {
    if (this.#failure !== undefined && this.#steadyMs() < this.#failure.untilMs) throw this.#failure.error;
    return this.#share(() => this.#exchange(replaced?.accessToken), signal);
  }

  /** While the store is away a process that needs a token has one of its own; the store's may end by that, and is then renewed. */
  #renewAlone(error: unknown, signal: AbortSignal): Promise<StoredToken> {
    if (!(error instanceof StoreError) || error.action !== 'retry' || signal.aborted) throw error;
    return this.#share(async () => {
      const token = await this.#obtain(this.#held?.refreshToken);
      this.#held = token;
      this.#proven = false;
      return token;
    }, signal);
  }

  /** One renewal at a time, for all who wait for one. */
  #share(renew: () => Promise<StoredToken>, signal: AbortSignal): Promise<StoredToken> {
    this.#renewal ??= renew().finally(() => {
      this.#renewal = undefined;
    });
    return waitFor(this.#renewal, signal);
  }

  async #exchange(replaced: string | undefined): Promise<StoredToken> {
    let issuedHere = false;
    try {
      const token = await this.#store.exchange(async (stored) => {
        if (stored !== undefined && stored.accessToken !== replaced && this.#isFresh(stored)) return stored;
        issuedHere = true;
        return this.#obtain(stored?.refreshToken);
      });
      this.#held = token;
      this.#proven = !issuedHere;
      this.#failure = undefined;
      return token;
    } catch (error) {
      if (error instanceof PlatformError)
        this.#failure = { error, untilMs: this.#steadyMs() + FAILURE_STANDS_MS };
      throw error;
    }
  }

  /** By refresh; if that fails for whatever reason but a missing connection, by a new grant. */
  async #obtain(refreshToken: string | undefined): Promise<StoredToken> {
    if (refreshToken === undefined) return this.#source.grant();
    try {
      return await this.#source.refresh(refreshToken);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.unreachable) throw error;
      return this.#source.grant();
    }
  }
}

/** The promise's outcome, or the signal's reason if that comes first; the work itself goes on for the others who wait for it. */
function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    if (signal.aborted) leave();
  });
}
