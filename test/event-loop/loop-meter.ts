import { existsSync, readFileSync } from 'node:fs';

/** The milliseconds between two looks of the meter. */
const PERIOD_MS = 5;

/**
 * Linux tells here how many nanoseconds the main thread had a processor. Threads that collect garbage are not
 * counted.
 */
const threadFile = '/proc/self/schedstat';
const isThreadKnown = existsSync(threadFile);

/**
 * Measures the longest time for which the process was held up: the time between two looks, without their
 * period. If the process used less processor time between them, that time counts: on a busy machine every
 * process waits.
 */
export class LoopMeter {
  #maxMs = 0;
  #lastMs = performance.now();
  #lastCpuMs = cpuMs();
  readonly #timer = setInterval(() => this.#look(), PERIOD_MS).unref();

  /** Returns the longest hold-up since the last call, in milliseconds. */
  take(): number {
    this.#look();
    const maxMs = this.#maxMs;
    this.#maxMs = 0;
    return maxMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    const nowCpuMs = cpuMs();
    const heldUpMs = Math.min(nowMs - this.#lastMs - PERIOD_MS, nowCpuMs - this.#lastCpuMs);
    this.#maxMs = Math.max(this.#maxMs, heldUpMs);
    this.#lastMs = nowMs;
    this.#lastCpuMs = nowCpuMs;
  }
}

function cpuMs(): number {
  if (isThreadKnown) return Number(readFileSync(threadFile, 'latin1').split(' ', 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
