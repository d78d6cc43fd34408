import { withoutGiveUp } from '../../postgres/give-up.ts';

/**
 * Remembers the answer to a costly question for a while. Askers that come while it is being answered share
 * the answer. A failure is not remembered.
 */
export class Remembered<T> {
  readonly #ask: () => Promise<T>;
  readonly #maxAgeMs: number;
  /** Returns milliseconds of a clock that nobody sets. */
  readonly #steadyMs: () => number;
  readonly #mostShare: number;
  #known: { readonly answer: T; readonly atMs: number; readonly tookMs: number } | undefined;
  #asking: Promise<T> | undefined;

  /** `mostShare` is the most of the time that may go into asking. A slow answer is kept longer for that. */
  constructor(ask: () => Promise<T>, how: { maxAgeMs: number; steadyMs: () => number; mostShare?: number }) {
    this.#mostShare = how.mostShare ?? 1;
    this.#ask = ask;
    this.#maxAgeMs = how.maxAgeMs;
    this.#steadyMs = how.steadyMs;
  }

  /** Returns the answer, and its age. */
  async read(): Promise<{ readonly answer: T; readonly ageMs: number }> {
    const known = this.#known;
    const ageMs = this.#steadyMs() - (known?.atMs ?? Number.NEGATIVE_INFINITY);
    const maxAgeMs = Math.max(this.#maxAgeMs, (known?.tookMs ?? 0) / this.#mostShare);
    if (known !== undefined && ageMs < maxAgeMs) return { answer: known.answer, ageMs };
    this.#asking ??= withoutGiveUp(() => this.#askNow()).finally(() => {
      this.#asking = undefined;
    });
    return { answer: await this.#asking, ageMs: 0 };
  }

  async #askNow(): Promise<T> {
    const beganMs = this.#steadyMs();
    const answer = await this.#ask();
    const atMs = this.#steadyMs();
    this.#known = { answer, atMs, tookMs: atMs - beganMs };
    return answer;
  }
}
