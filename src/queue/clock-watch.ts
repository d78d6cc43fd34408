import type { Logger } from '../log.ts';

/** A shorter step of the clock moves no schedule by an amount that matters. */
const LEAST_STEP_MS = 1_000;

export interface WatchedClocks {
  /** The wall clock, in epoch milliseconds. */
  readonly clock: () => number;
  /** A clock that nobody sets, in milliseconds. */
  readonly steadyMs: () => number;
  readonly log: Logger;
}

/** Notices that the wall clock was set, by a clock that nobody sets. */
export class ClockWatch {
  /** How often the wall clock was set so far. */
  steps = 0;
  readonly #clocks: WatchedClocks;
  #distanceMs: number;

  constructor(clocks: WatchedClocks) {
    this.#clocks = clocks;
    this.#distanceMs = this.#measure();
  }

  /** Compares the clocks. Logs a step if one clock has moved against the other. */
  look(): void {
    const distanceMs = this.#measure();
    const stepMs = distanceMs - this.#distanceMs;
    this.#distanceMs = distanceMs;
    if (Math.abs(stepMs) < LEAST_STEP_MS) return;
    this.steps += 1;
    const stepSec = Math.round(Math.abs(stepMs) / 1000);
    const what =
      stepMs > 0 ? `put forward by ${stepSec} s, or the machine slept` : `put back by ${stepSec} s`;
    this.#clocks.log.warn({ stepMs: Math.round(stepMs) }, `the clock was ${what}: schedules are made again`);
  }

  #measure(): number {
    return this.#clocks.clock() - this.#clocks.steadyMs();
  }
}
