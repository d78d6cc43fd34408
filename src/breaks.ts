import { setImmediate as nextTurn } from 'node:timers/promises';
import { steadyMs } from './steady-clock.ts';

/** Work of so long is done at once; then the rest of the process has its turn. */
const WORK_MS = 15;

/**
 * Breaks of long work: between them it holds up the process for a moment only, so that signals, deadlines, polls and health checks are
 * served while a large reply is read. Ask `due` as often as the work can stop; `take` then lets everything else run.
 */
export class Breaks {
  readonly #nowMs: () => number;
  #beganMs: number;

  /** @param nowMs a clock that never steps, in milliseconds */
  constructor(nowMs: () => number = steadyMs) {
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
  }

  /** True if the work has gone on for so long that it has to stop for a moment. */
  get due(): boolean {
    return this.#nowMs() - this.#beganMs >= WORK_MS;
  }

  /** Resolves after everything else that waits for its turn has had it. */
  async take(): Promise<void> {
    await nextTurn();
    this.#beganMs = this.#nowMs();
  }
}
