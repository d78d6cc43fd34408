import { PlatformError, StoreError } from '../../errors.ts';
import type { OperationId } from '../operations.ts';
import type { StoredToken, TokenStore } from '../platform.ts';

/** Asks the platform for new tokens. Both methods retry by themselves. */
export interface TokenSource {
  refresh(refreshToken: string): Promise<StoredToken>;
  grant(): Promise<StoredToken>;
}

/** A token is renewed when this share of its life is over. */
const FRESH_SHARE = 0.8;
/** The clocks of processes that share a token may differ by this much. */
const CLOCK_TOLERANCE_MS = 60_000;
/**
 * For this long after a failed renewal its error is thrown again, so that a run of many lists does not wait
 * for each.
 */
const FAILURE_STANDS_MS = 15_000;
/** For this long a renewal that did not help is not repeated. */
const UNHELPFUL_MS = 60_000;

/**
 * Keeps one access token fresh for all calls of the process, with one renewal at a time. A token is renewed
 * only for a request that needs it. Operations that refuse new tokens too are remembered, so that a platform
 * that refuses everything is not stormed with renewals.
 *
 *     no token ──current──▶ renewing ◀──current, replace──┐
 *                            │    │                       │
 *             issued by this │    │ taken from            │
 *                    process ▼    ▼ the store             │
 *                     unproven ─▶ proven ─────────────────┤
 *                         │ accept                        │
 *                         └───────────────────────────────┘
 *
 * - `current` renews a token when 80 % of its life is over. `replace` renews a token that an operation
 *   refused.
 * - A failed renewal leaves the old token in its state, and `current` returns that token until it ends. The
 *   error of the platform is thrown again for 15 s, and no token is asked for meanwhile.
 * - While the store is away, a renewal makes a token for this process alone.
 * - `refusedAgain` says that a renewal did not help. For 60 s that operation does not renew the token. If the
 *   token is unproven, no operation does, until one accepts it.
 */
export class TokenKeeper {
  readonly #store: TokenStore;
  readonly #source: TokenSource;
  readonly #clock: () => number;
  readonly #steadyMs: () => number;
  #held: StoredToken | undefined;
  /**
   * True if an operation accepted the held token, or the token comes from the store. A refusal then means
   * that it ended.
   */
  #proven = false;
  #renewal: Promise<StoredToken> | undefined;
  #failure: { readonly error: PlatformError; readonly untilMs: number } | undefined;
  #refusal: PlatformError | undefined;
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

  /**
   * The newest token that is known. It is for callers that have waited for `current` and must not wait again.
   * Unless renewals fail, at least a fifth of its life is left.
   */
  get held(): StoredToken | undefined {
    return this.#held;
  }

  /** The last renewal's refusal by a platform that answered. Undefined if the renewal brought a token. */
  get refusal(): PlatformError | undefined {
    return this.#refusal;
  }

  /**
   * Returns a token that is not known to have ended. Throws the `PlatformError` of the token operation, or
   * the store's error.
   */
  async current(signal: AbortSignal): Promise<StoredToken> {
    const held = this.#held;
    if (held !== undefined && this.#isFresh(held)) return held;
    try {
      return await this.#renew(held, signal);
    } catch (error) {
      // The last fifth of a token's life leaves time to get over a failing renewal.
      if (held !== undefined && this.#clock() < held.expiresAtMs && !signal.aborted) return held;
      return this.#renewAlone(error, signal);
    }
  }

  /** Notes that an operation accepted the token. */
  accept(token: StoredToken, operation: OperationId): void {
    if (this.#unhelpfulUntilMs.size > 0) {
      this.#unhelpfulUntilMs.delete(operation);
      this.#unhelpfulUntilMs.delete('any');
    }
    if (token.accessToken === this.#held?.accessToken) this.#proven = true;
  }

  /**
   * Replaces a token that an operation refused. Resolves to true if there is another token now, to false if
   * renewing is known not to help.
   */
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

  /** Notes that an operation refused even a renewed token. */
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
    // A token from the future was dated by a wrong clock: nobody knows when it ends.
    return (
      nowMs >= issuedAtMs - CLOCK_TOLERANCE_MS &&
      nowMs < issuedAtMs + FRESH_SHARE * (expiresAtMs - issuedAtMs)
    );
  }

  #renew(replaced: StoredToken | undefined, signal: AbortSignal): Promise<StoredToken> {
    if (this.#failure !== undefined && this.#steadyMs() < this.#failure.untilMs) throw this.#failure.error;
    return this.#share(() => this.#exchange(replaced?.accessToken), signal);
  }

  /**
   * Renews the token without the store while the store is away. The token in the store may end by that, and
   * is then renewed. Throws the error if it has another cause.
   */
  #renewAlone(error: unknown, signal: AbortSignal): Promise<StoredToken> {
    if (!(error instanceof StoreError) || error.action !== 'retry' || signal.aborted) throw error;
    return this.#share(async () => {
      const token = await this.#obtain(this.#held?.refreshToken);
      this.#held = token;
      this.#proven = false;
      return token;
    }, signal);
  }

  /** Does one renewal at a time, for all callers that wait for one. */
  #share(renew: () => Promise<StoredToken>, signal: AbortSignal): Promise<StoredToken> {
    this.#renewal ??= this.#noteRefusal(renew).finally(() => {
      this.#renewal = undefined;
    });
    return waitFor(this.#renewal, signal);
  }

  async #noteRefusal(renew: () => Promise<StoredToken>): Promise<StoredToken> {
    try {
      const token = await renew();
      this.#refusal = undefined;
      return token;
    } catch (error) {
      // A platform that is away refuses nothing.
      if (error instanceof PlatformError && !['unavailable', 'timeout'].includes(error.kind))
        this.#refusal = error;
      throw error;
    }
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

  /** Obtains a token by refresh. If the platform is reached and the refresh fails, a new grant follows. */
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

/**
 * Returns the outcome of the work, or rejects with the signal's reason if that comes first. The work goes on
 * for others that wait for it.
 */
function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    if (signal.aborted) leave();
  });
}
