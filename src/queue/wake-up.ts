/** Wakes who sleeps; rung while nobody does, it wakes the next who wants to. */
export class Bell {
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
