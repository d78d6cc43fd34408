import type { Sleep } from './sleep.ts';

/** Spaces requests out in time: at most so many per second, and none while the platform asked for silence. */
export class Pace {
  readonly #spacingMs: number;
  readonly #clock: () => number;
  readonly #sleep: Sleep;
  #nextAtMs = 0;

  constructor(requestsPerSecond: number | undefined, parts: { clock: () => number; sleep: Sleep }) {
    this.#spacingMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
    this.#clock = parts.clock;
    this.#sleep = parts.sleep;
  }

  /** Resolves when the caller's request may go out. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + this.#spacingMs;
    if (atMs > nowMs) await this.#sleep(atMs - nowMs, signal);
  }

  /** No request goes out for this long: the platform said that there are too many. */
  pause(ms: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, this.#clock() + ms);
  }
}
