import type { Sleep } from '../../sleep.ts';

/**
 * Takes one request out of the budget that all processes share. Resolves to 0 if the request may go out, else
 * to the milliseconds after which to ask again.
 */
export type SharedBudget = () => Promise<number>;

/**
 * Spaces requests out in time. At most `requestsPerSecond` go out, and none while the platform asked for
 * silence.
 */
export class RequestSpacing {
  readonly #spacingMs: number;
  readonly #clock: () => number;
  readonly #sleep: Sleep;
  readonly #budget: SharedBudget | undefined;
  #nextAtMs = 0;
  #silentUntilMs = 0;

  /** With a `budget`, a request waits for its turn in this process, and is then taken out of the budget. */
  constructor(
    requestsPerSecond: number | undefined,
    parts: { clock: () => number; sleep: Sleep; budget?: SharedBudget | undefined },
  ) {
    this.#spacingMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
    this.#clock = parts.clock;
    this.#sleep = parts.sleep;
    this.#budget = parts.budget;
  }

  /** Resolves when the caller's request may go out. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#takeOwn(signal);
      const waitMs = (await this.#budget?.()) ?? 0;
      if (waitMs <= 0) return;
      // The budget would refuse other requests of this process as well.
      this.pause(waitMs);
    }
  }

  /**
   * Lets no request go out for so many milliseconds: the platform, or the budget, says that there are too
   * many.
   */
  pause(ms: number): void {
    this.#silentUntilMs = Math.max(this.#silentUntilMs, this.#clock() + ms);
  }

  async #takeOwn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock();
      const atMs = Math.max(nowMs, this.#nextAtMs, this.#silentUntilMs);
      this.#nextAtMs = atMs + this.#spacingMs;
      if (atMs > nowMs) await this.#sleep(atMs - nowMs, signal);
      // If silence was asked for during the wait, the request takes another turn after the silence.
      if (atMs >= this.#silentUntilMs) return;
    }
  }
}
