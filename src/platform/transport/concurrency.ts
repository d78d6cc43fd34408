import type { Priority } from '../platform.ts';

/** What a finished request says about the platform's load. */
export type LoadSign = 'ok' | 'failing' | 'overload' | 'none';

/** A place for one request; `release` must be called exactly once. */
export interface Slot {
  /**
   * Frees the place. `operation` and `latencyMs` matter for `ok` only. Latencies of different operations are
   * never compared.
   */
  release(sign: LoadSign, operation: string, latencyMs: number): void;
}

/** How a request waits for its place. */
export interface Waiting {
  readonly priority?: Priority | undefined;
  /** True for a retry. It goes before requests of the same priority that have not begun. */
  readonly ahead?: boolean;
}

interface Waiter {
  readonly start: () => void;
  readonly rank: number;
}

const priorities: readonly Priority[] = ['live', 'sync', 'bulk'];

/** A latency holds if it is at most twice the usual latency plus this. */
const LATENCY_GRACE_MS = 25;
/**
 * The usual latency follows lower ones quickly and higher ones slowly, so a loaded platform does not become
 * the norm.
 */
const FALL_RATE = 0.3;
const RISE_RATE = 0.02;
/** Plain failures (HTTP 500 for one odd request) mean load only if nothing succeeds between them. */
const FAILURES_THAT_MEAN_LOAD = 3;

/**
 * Limits how many requests may be under way at once. The limit starts at 2 and grows by one per round while
 * the latency holds. It halves when the platform is overloaded, and when requests only fail, down to 1.
 */
export class AdaptiveConcurrency {
  readonly #max: number;
  #limit: number;
  #active = 0;
  #started = 0;
  /**
   * Requests with a number up to this were sent before the last cut. Their failures belong to the same event.
   */
  #cutAt = 0;
  #failures = 0;
  readonly #usualLatencyMs = new Map<string, number>();
  #queue: Waiter[] = [];

  constructor(max: number) {
    this.#max = max;
    this.#limit = Math.min(2, max);
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /**
   * Waits for a place. The next free place goes to the highest priority, and there to the first in the queue.
   * Rejects with the signal's reason when the signal aborts.
   */
  async acquire(signal: AbortSignal, waiting: Waiting = {}): Promise<Slot> {
    signal.throwIfAborted();
    if (this.#active >= this.limit) await this.#wait(signal, waiting);
    else this.#active += 1;
    this.#started += 1;
    const number = this.#started;
    return { release: (sign, operation, latencyMs) => this.#release({ number, sign, operation, latencyMs }) };
  }

  #wait(signal: AbortSignal, { priority = 'sync', ahead = false }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue = this.#queue.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        rank: priorities.indexOf(priority),
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#enqueue(waiter, ahead);
    });
  }

  #enqueue(waiter: Waiter, ahead: boolean): void {
    const { rank } = waiter;
    const after = this.#queue.findIndex((other) => other.rank > rank || (ahead && other.rank === rank));
    this.#queue.splice(after === -1 ? this.#queue.length : after, 0, waiter);
  }

  #release(done: { number: number; sign: LoadSign; operation: string; latencyMs: number }): void {
    this.#active -= 1;
    if (done.sign === 'ok') {
      this.#failures = 0;
      if (this.#latencyHolds(done.operation, done.latencyMs))
        this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    } else if (done.sign !== 'none') {
      this.#failures += 1;
      if (done.sign === 'overload' || this.#failures >= FAILURES_THAT_MEAN_LOAD) this.#cut(done.number);
    }
    this.#startWaiting();
  }

  #cut(number: number): void {
    if (number <= this.#cutAt) return;
    this.#cutAt = this.#started;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #latencyHolds(operation: string, latencyMs: number): boolean {
    const usual = this.#usualLatencyMs.get(operation) ?? latencyMs;
    const rate = latencyMs < usual ? FALL_RATE : RISE_RATE;
    this.#usualLatencyMs.set(operation, usual + rate * (latencyMs - usual));
    return latencyMs <= 2 * usual + LATENCY_GRACE_MS;
  }

  #startWaiting(): void {
    while (this.#active < this.limit) {
      const waiter = this.#queue.shift();
      if (waiter === undefined) return;
      this.#active += 1;
      waiter.start();
    }
  }
}
