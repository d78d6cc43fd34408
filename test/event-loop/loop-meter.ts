/** How often the meter looks. */
const PERIOD_MS = 5;

/**
 * Measures for how long the process was held up at most: the time between two looks, beyond their period, or the processor time that the
 * process took between them, if that is less. A busy machine lets any process wait; that is no doing of ours.
 */
export class LoopMeter {
  #maxMs = 0;
  #lastMs = performance.now();
  #lastCpuMs = cpuMs();
  readonly #timer = setInterval(() => this.#look(), PERIOD_MS).unref();

  /** The longest hold-up since the last call, in milliseconds. */
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
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
