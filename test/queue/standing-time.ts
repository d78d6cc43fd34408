import type { InlineDeps } from '../../src/queue/open-inline.ts';

/** Time that stands still while jobs work, and jumps to the end of the shortest wait when all wait. */
export class StandingTime {
  nowMs: number;
  /** How far the wall clock is ahead. */
  aheadMs = 0;
  #waits: { atMs: number; wake: () => void }[] = [];

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** The clocks and the sleep for the engine without Redis. */
  get parts(): InlineDeps {
    return { clock: () => this.nowMs + this.aheadMs, steadyMs: () => this.nowMs, sleep: this.sleep };
  }

  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', give);
        resolve();
      };
      const wait = { atMs: this.nowMs + ms, wake };
      this.#waits.push(wait);
      const give = () => {
        this.#waits = this.#waits.filter((other) => other !== wait);
        resolve();
      };
      if (signal.aborted) give();
      else signal.addEventListener('abort', give, { once: true });
    });

  async passUntil(endMs: number): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#waits.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > endMs) break;
      this.nowMs = next.atMs;
      this.#waits = this.#waits.filter((wait) => wait !== next);
      next.wake();
    }
    this.nowMs = endMs;
  }
}
