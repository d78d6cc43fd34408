import type { Sleep } from '../../sleep.ts';

/**
 * Takes one request out of what all processes together may send. Resolves to 0 if it may go out, else to the milliseconds after which
 * to ask again.
 */
export type SharedBudget = () => Promise<number>;

/** Spaces requests out in time: at most so many per second, and none while the platform asked for silence. */
export class RequestSpacing {
  readonly #spacingMs: number;
  readonly #clock: () => number;
  readonly #sleep: Sleep;
  readonly #budget: SharedBudget | undefined;
  #nextAtMs = 0;
  #silentUntilMs = 0;

  /** With a `budget`, what this process may send by itself is still spaced out, and then asked for there. */
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
      // Others in this process would be refused as well.
      this.pause(waitMs);
    }
  }

  /** No request goes out for this long: the platform said that there are too many. */
  pause(ms: number): void {
    this.#silentUntilMs = Math.max(this.#silentUntilMs, this.#clock() + ms);
  }

  async #takeOwn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock();
      const atMs = Math.max(nowMs, this.#nextAtMs, this.#silentUntilMs);
      this.#nextAtMs = atMs + this.#spacingMs;
      if (atMs > nowMs) await this.#sleep(atMs - nowMs, signal);
      // Who waited for a place while silence was asked for takes another one behind it.
      if (atMs >= this.#silentUntilMs) return;
    }
  }
}
