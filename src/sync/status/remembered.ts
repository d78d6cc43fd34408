/**
 * Remembers the answer to a costly question for a while. Askers that come while it is being answered share
 * the answer. A failure is not remembered.
 */
export class Remembered<T> {
  readonly #ask: () => Promise<T>;
  readonly #maxAgeMs: number;
  /** Returns milliseconds of a clock that nobody sets. */
  readonly #steadyMs: () => number;
  #known: { readonly answer: T; readonly atMs: number } | undefined;
  #asking: Promise<T> | undefined;

  constructor(ask: () => Promise<T>, how: { maxAgeMs: number; steadyMs: () => number }) {
    this.#ask = ask;
    this.#maxAgeMs = how.maxAgeMs;
    this.#steadyMs = how.steadyMs;
  }

  /** Returns the answer, and its age. */
  async read(): Promise<{ readonly answer: T; readonly ageMs: number }> {
    const known = this.#known;
    const ageMs = this.#steadyMs() - (known?.atMs ?? Number.NEGATIVE_INFINITY);
    if (known !== undefined && ageMs < this.#maxAgeMs) return { answer: known.answer, ageMs };
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined;
    });
    return { answer: await this.#asking, ageMs: 0 };
  }

  async #askNow(): Promise<T> {
    const answer = await this.#ask();
    this.#known = { answer, atMs: this.#steadyMs() };
    return answer;
  }
}
