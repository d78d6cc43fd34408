/** Wakes a sleeper by its signal. If nobody sleeps, the next sleep returns at once. */
export class WakeUp {
  #ringing = new AbortController();

  get signal(): AbortSignal {
    return this.#ringing.signal;
  }

  ring(): void {
    this.#ringing.abort();
  }

  silence(): void {
    if (this.#ringing.signal.aborted) this.#ringing = new AbortController();
  }
}
