import { isDeepStrictEqual } from 'node:util';
import { type ReplySizes, sizeOf } from './reply-sizes.ts';
import { putOldestFirst } from './row-order.ts';
import { clipRows, countRows, joinRows, type RowsBySeries, sameRows } from './rows.ts';
import { requestsAllowed, type Window } from './window.ts';
import type { Answer, Attempt, FailureMeaning, WindowRequest } from './window-request.ts';

export interface AskerDeps {
  /** Asks the platform; a series without rows has an empty entry where the reply names it, and none where the reply leaves it out. */
  readonly read: (request: WindowRequest) => Promise<RowsBySeries>;
  readonly classify: (error: unknown) => FailureMeaning;
  readonly replySizes: ReplySizes;
  /** The `limit` sent with every request; lowered here for good where the platform accepts only a lower one. */
  readonly limit: { current: number };
}

/** The rows of a series that were read by `offset`. */
export interface ReadOn {
  /** True if the platform is known to have no more. */
  readonly isWhole: boolean;
  readonly answer: Answer;
  /** What ended it early. */
  readonly error?: unknown;
}

/** The platform, which names series without rows, left one out. */
class UnnamedSeries extends Error {
  constructor() {
    super(
      'the reply leaves it out, although the platform names other series that have no points: whether it has any is not known',
    );
  }
}

/** A window took all the requests that it may take. */
class SpentWindow extends Error {
  constructor() {
    super(
      'its replies prove nothing, and all requests that a window may take are made (docs/data.md has their number)',
    );
  }
}

/** Limits tried where a platform refuses a larger one. */
const LOWER_LIMITS = [10_000, 1_000, 100];

/** Asks the platform about one window and its parts, with no more requests than `requestsAllowed`. */
export class WindowAsker {
  readonly #deps: AskerDeps;
  readonly #window: Window;
  #requests = 0;
  #hasAnswer = false;
  #rows = 0;
  #isSpent = false;

  constructor(parts: AskerDeps, window: Window) {
    this.#deps = parts;
    this.#window = window;
  }

  /** True if the platform answered anything. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** True if a request was not made because the window had taken all that it may. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Notes rows of the window that came for the first time: a window with many rows may take more requests. */
  noteRows(count: number): void {
    this.#rows += Math.max(0, count);
  }

  /** What a failure means; `spent` if no request is left. */
  meaningOf(error: unknown): FailureMeaning | 'spent' {
    if (error instanceof SpentWindow) return 'spent';
    return error instanceof UnnamedSeries ? 'isolate' : this.#deps.classify(error);
  }

  /** Asks for a window, with a lower `limit` where that is refused. Throws only a failure that means `stop`. */
  async attempt(window: Window): Promise<Attempt> {
    const { limit } = this.#deps;
    try {
      return await this.#ask(window, limit.current);
    } catch (error) {
      const meaning = this.meaningOf(error);
      if (meaning === 'stop') throw error;
      return (meaning === 'refused' && (await this.#askWithLowerLimit(window))) || { error };
    }
  }

  /** Asks for a window only to see what comes; nothing is learnt of its size. Throws whatever fails. */
  probe(window: Window, limit = this.#deps.limit.current): Promise<RowsBySeries> {
    return this.#read({ ...window, limit, offset: 0 });
  }

  /**
   * Reads the rows of one series that follow those of a reply, by `offset`, until no more come or `maxPages` are read.
   * Each page begins with the last row of the one before, which proves that `offset` counts rows. Throws only a
   * failure that means `stop`.
   */
  async readOn(window: Window, first: Answer, maxPages: number): Promise<ReadOn> {
    let rows = first.received;
    let page = rows;
    try {
      for (let pages = 1; pages <= maxPages; pages += 1) {
        const count = countRows(rows);
        const overlap = count > 1 ? 1 : 0;
        const offset = Math.max(1, count - overlap);
        const next = await this.#read({ ...window, limit: first.limit, offset });
        this.#checkNamed(window, next);
        if (!isDeepStrictEqual(slice(rows, count - overlap), slice(next, 0, overlap)) || sameRows(next, page))
          break;
        const more = slice(next, overlap);
        if (countRows(more) === 0)
          return { isWhole: true, answer: pages === 1 ? first : this.#answer(rows, first.limit) };
        this.noteRows(countRows(clipRows(more, window)));
        rows = joinRows(rows, more);
        page = next;
      }
    } catch (error) {
      if (this.meaningOf(error) === 'stop') throw error;
      return { isWhole: false, answer: this.#answer(rows, first.limit), error };
    }
    return { isWhole: false, answer: this.#answer(rows, first.limit) };
  }

  async #ask(window: Window, limit: number): Promise<Answer> {
    const received = await this.#read({ ...window, limit, offset: 0 });
    this.#checkNamed(window, received);
    const answer = this.#answer(received, limit);
    this.#deps.replySizes.noteSeen(answer.size);
    this.#hasAnswer = true;
    return answer;
  }

  #answer(received: RowsBySeries, limit: number): Answer {
    const order = this.#deps.replySizes.noteOrder(received);
    return { rows: putOldestFirst(received, order), received, size: sizeOf(received), limit };
  }

  async #read(request: WindowRequest): Promise<RowsBySeries> {
    if (this.#requests >= requestsAllowed(this.#window, this.#rows)) {
      this.#isSpent = true;
      throw new SpentWindow();
    }
    this.#requests += 1;
    return this.#deps.read(request);
  }

  /**
   * Both ways to say "no rows" are legal, to name a series and to leave it out. Of a platform that was seen to do the first, the second
   * says nothing: it may have been asked too early, or have lost that part of the reply.
   */
  #checkNamed({ series }: Window, rows: RowsBySeries): void {
    const { replySizes } = this.#deps;
    if ([...rows.values()].some(({ times }) => times.length === 0)) replySizes.noteNamesEmpty();
    if (replySizes.learned.namesEmpty && series.some(({ id }) => !rows.has(id))) throw new UnnamedSeries();
  }

  async #askWithLowerLimit(window: Window): Promise<Answer | undefined> {
    const { limit } = this.#deps;
    for (const lower of LOWER_LIMITS.filter((candidate) => candidate < limit.current)) {
      try {
        const answer = await this.#ask(window, lower);
        limit.current = Math.min(limit.current, lower);
        return answer;
      } catch (error) {
        if (this.meaningOf(error) === 'stop') throw error;
      }
    }
    return undefined;
  }
}

/** A stretch of the rows of each series; one that is left without rows is left out. */
function slice(rows: RowsBySeries, from: number, to?: number): RowsBySeries {
  const parts = [...rows].map(
    ([id, { times, values }]) =>
      [id, { times: times.slice(from, to), values: values.slice(from, to) }] as const,
  );
  return new Map(parts.filter(([, { times }]) => times.length > 0));
}
