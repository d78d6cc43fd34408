import { type Freshness, freshForMs } from '../../freshness.ts';
import { withoutGiveUp } from '../../postgres/give-up.ts';

/**
 * Remembers the answer to a costly question for a while. Askers that come while it is being answered share
 * the answer. A failure is not remembered.
 */
export class Remembered<T> {
  readonly #ask: () => Promise<T>;
  readonly #freshness: Freshness;
  /** Returns milliseconds of a clock that nobody sets. */
  readonly #steadyMs: () => number;
  #known: { readonly answer: T; readonly atMs: number; readonly tookMs: number } | undefined;
  #asking: Promise<T> | undefined;

  /**
   * The answer is kept for `maxAgeMs`. `mostShare` is the most of the time that may go into asking: a slow
   * answer is kept longer for that.
   */
  constructor(ask: () => Promise<T>, how: { maxAgeMs: number; steadyMs: () => number; mostShare?: number }) {
    this.#ask = ask;
    this.#freshness = { timesItsCost: 1 / (how.mostShare ?? 1), leastMs: how.maxAgeMs };
    this.#steadyMs = how.steadyMs;
  }

  /** Returns the answer, and its age. */
  async read(): Promise<{ readonly answer: T; readonly ageMs: number }> {
    const known = this.#known;
    const ageMs = this.#steadyMs() - (known?.atMs ?? Number.NEGATIVE_INFINITY);
    if (known !== undefined && ageMs < freshForMs(known.tookMs, this.#freshness))
      return { answer: known.answer, ageMs };
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
