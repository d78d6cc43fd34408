import { type Freshness, freshForMs } from '../../freshness.ts';

/** For how long an answer is given again. */
const FRESHNESS: Freshness = { timesItsCost: 10, mostMs: 10_000 };
/** Answers that are kept. The oldest is forgotten first. */
const MOST_ANSWERS = 100;

interface Shared {
  readonly answer: Promise<string>;
  /** Ends the work when everybody who waits for it has left. */
  readonly leaving: AbortController;
  waiting: number;
  /** Until when the answer is given again, in milliseconds. It has no end while the work goes on. */
  freshUntil: number;
}

/**
 * Gives one answer to all who ask the same question. What took long is given again for longer, so however
 * many pages are open, no question takes more than a tenth of the time. `clock` is monotonic, in
 * milliseconds.
 */
export class SharedAnswers {
  readonly #answers = new Map<string, Shared>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Returns the answer to a question. `make` works it out if nobody else has just asked. Its signal is
   * aborted when all who asked have left.
   */
  async give(
    question: string,
    gone: AbortSignal,
    make: (signal: AbortSignal) => Promise<string>,
  ): Promise<string> {
    gone.throwIfAborted();
    const shared = this.#find(question) ?? this.#begin(question, make);
    shared.waiting += 1;
    const leave = () => {
      shared.waiting -= 1;
      if (shared.waiting > 0 || shared.freshUntil !== Number.POSITIVE_INFINITY) return;
      if (this.#answers.get(question) === shared) this.#answers.delete(question);
      shared.leaving.abort(gone.reason);
    };
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await shared.answer;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  /** Forgets all answers, because something has changed. Who waits for one still gets it. */
  forget(): void {
    this.#answers.clear();
  }

  #find(question: string): Shared | undefined {
    const shared = this.#answers.get(question);
    return shared !== undefined && this.#clock() < shared.freshUntil ? shared : undefined;
  }

  #begin(question: string, make: (signal: AbortSignal) => Promise<string>): Shared {
    const leaving = new AbortController();
    const begunAt = this.#clock();
    const shared: Shared = {
      answer: make(leaving.signal),
      leaving,
      waiting: 0,
      freshUntil: Number.POSITIVE_INFINITY,
    };
    const keep = () => {
      const now = this.#clock();
      shared.freshUntil = now + freshForMs(now - begunAt, FRESHNESS);
    };
    const drop = () => {
      if (this.#answers.get(question) === shared) this.#answers.delete(question);
    };
    shared.answer.then(keep, drop);
    this.#answers.delete(question);
    this.#answers.set(question, shared);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return shared;
  }
}
