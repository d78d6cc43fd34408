import type { Logger } from '../log.ts';

/** A step that is shorter than this moves no schedule by anything that matters. */
const LEAST_STEP_MS = 1_000;

export interface WatchedClocks {
  /** The one on the wall, epoch milliseconds. */
  readonly clock: () => number;
  /** One that nobody sets, milliseconds. */
  readonly steadyMs: () => number;
  readonly log: Logger;
}

/** Notices that the clock was set, by a clock that nobody sets. */
export class ClockWatch {
  /** How often it was set so far. */
  steps = 0;
  readonly #clocks: WatchedClocks;
  #distanceMs: number;

  constructor(clocks: WatchedClocks) {
    this.#clocks = clocks;
    this.#distanceMs = this.#measure();
  }

  /** Compares the clocks; says so in the log where one has moved against the other. */
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
