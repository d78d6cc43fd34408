import { setImmediate as nextTurn } from 'node:timers/promises';
import { steadyMs } from './steady-clock.ts';

/** Work goes on for this long without a break. */
const WORK_MS = 15;

/**
 * Tells long work when to make a break, so that signals, deadlines, polls and health checks are served
 * meanwhile. The work asks `due` wherever it can stop. If a break is due, the work awaits `take`.
 */
export class Breaks {
  readonly #nowMs: () => number;
  #beganMs: number;

  /** @param nowMs a clock that never steps, in milliseconds */
  constructor(nowMs: () => number = steadyMs) {
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
  }

  /** True if the work has gone on for so long that it has to make a break. */
  get due(): boolean {
    return this.#nowMs() - this.#beganMs >= WORK_MS;
  }

  /** Tells whether a break is due. Looks at the clock at every 256th step, for work whose steps cost less. */
  dueAt(step: number): boolean {
    return (step & 0xff) === 0 && this.due;
  }

  /** Takes a break if it is due: between two steps of work that are not divided themselves. */
  async takeIfDue(): Promise<void> {
    if (this.due) await this.take();
  }

  /** Resolves after everything else that waits for its turn has run. */
  async take(): Promise<void> {
    await nextTurn();
    this.#beganMs = this.#nowMs();
  }
}
