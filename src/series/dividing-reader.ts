import { messageOf } from '../errors.ts';
import { type Knowledge, type ReplySize, reachesLimit, sizeOf } from './knowledge.ts';
import { addTo, clipRows, joinRows, type RowsBySeries, sameRows } from './rows.ts';
import { divideSeries, divideTime, sampleSeconds, spanOf, type Window } from './window.ts';

/** One question to the platform. */
export interface WindowRequest extends Window {
  readonly limit: number;
  readonly offset: number;
}

/**
 * What a failed read says about its window.
 * - `smaller`: a part of the window may succeed (time-out, too large, an error of the server).
 * - `isolate`: a series of it cannot be read at all; the others can.
 * - `refused`: like `isolate`, unless it was `limit` that the platform found too large.
 * - `stop`: no part of it will succeed now.
 */
export type FailureMeaning = 'smaller' | 'isolate' | 'refused' | 'stop';

export interface ReaderParts {
  /** Asks the platform; a series without rows has an empty entry where the reply names it, and none where the reply leaves it out. */
  readonly read: (request: WindowRequest) => Promise<RowsBySeries>;
  readonly classify: (error: unknown) => FailureMeaning;
  readonly knowledge: Knowledge;
  /** The `limit` sent with every request; lowered here for good where the platform accepts only a lower one. */
  readonly limit: { current: number };
  /** Called with every part of the window whose rows are proven complete, clipped to it, in the order received. */
  readonly onComplete: (window: Window, rows: RowsBySeries) => Promise<void>;
  /** Called with every part that could not be read; it stays uncovered. */
  readonly onUnreadable: (window: Window, reason: string) => Promise<void>;
}

/** The platform, which names series without rows, left one out. */
class UnnamedSeries extends Error {
  constructor() {
    super(
      'the reply leaves it out, although the platform names other series that have no points: whether it has any is not known',
    );
  }
}

/** Pages read of one second of one series before it is given up. */
const MAX_PAGES = 1_000;

/** Limits tried where a platform refuses a larger one. */
const LOWER_LIMITS = [10_000, 1_000, 100];

interface Answer {
  readonly rows: RowsBySeries;
  readonly size: ReplySize;
  /** The `limit` that was asked with. */
  readonly limit: number;
}
type Attempt = Answer | { readonly error: unknown };

/**
 * Reads windows so that every part reported complete has every row the platform holds, whatever hidden cap, order,
 * meaning of `limit` or broken `offset` it has. Completeness is proven by size: the reply to a window that is larger
 * than what was proven before is compared with the replies to its halves.
 *
 * It ends: every division halves seconds or series. It throws what `read` throws if that means `stop`.
 */
export class DividingReader {
  readonly #parts: ReaderParts;
  /** Requests that the platform has answered. */
  #answers = 0;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Reads a window to its end. Resolves to false if the platform answered nothing of it. */
  async readWindow(window: Window): Promise<boolean> {
    const before = this.#answers;
    await this.#settle(window, await this.#attempt(window));
    return this.#answers > before;
  }

  async #attempt(window: Window): Promise<Attempt> {
    const { limit } = this.#parts;
    try {
      return await this.#ask(window, limit.current);
    } catch (error) {
      const meaning = this.#meaningOf(error);
      if (meaning === 'stop') throw error;
      return (meaning === 'refused' && (await this.#askWithLowerLimit(window))) || { error };
    }
  }

  async #ask(window: Window, limit: number): Promise<Answer> {
    const rows = await this.#parts.read({ ...window, limit, offset: 0 });
    this.#checkNamed(window, rows);
    const size = sizeOf(rows);
    this.#parts.knowledge.noteSeen(size);
    this.#answers += 1;
    return { rows, size, limit };
  }

  /**
   * Both ways to say "no rows" are legal, to name a series and to leave it out. Of a platform that was seen to do the first, the second
   * says nothing: it may have been asked too early, or have lost that part of the reply.
   */
  #checkNamed({ series }: Window, rows: RowsBySeries): void {
    const { knowledge } = this.#parts;
    if ([...rows.values()].some(({ times }) => times.length === 0)) knowledge.noteNamesEmpty();
    if (knowledge.lessons.namesEmpty && series.some(({ id }) => !rows.has(id))) throw new UnnamedSeries();
  }

  #meaningOf(error: unknown): FailureMeaning {
    return error instanceof UnnamedSeries ? 'isolate' : this.#parts.classify(error);
  }

  async #askWithLowerLimit(window: Window): Promise<Answer | undefined> {
    const { limit } = this.#parts;
    for (const lower of LOWER_LIMITS.filter((candidate) => candidate < limit.current)) {
      try {
        const answer = await this.#ask(window, lower);
        limit.current = Math.min(limit.current, lower);
        return answer;
      } catch (error) {
        if (this.#meaningOf(error) === 'stop') throw error;
      }
    }
    return undefined;
  }

  /** Brings a window to its end, given the answer to it and the rows `known` of it from a larger window. */
  async #settle(window: Window, attempt: Attempt, known?: RowsBySeries): Promise<void> {
    if ('error' in attempt) return this.#settleFailed(window, attempt.error, known);
    if (this.#parts.knowledge.trusts(attempt.size, spanOf(window), attempt.limit))
      return this.#complete(window, attempt.rows, known);
    const halves = divideTime(window) ?? divideSeries(window);
    if (halves === undefined) return this.#pageLastCell(window, attempt, known);
    const [left, right] = halves;
    const answers = [await this.#attempt(left), await this.#attempt(right)] as const;
    if (this.#judge(window, attempt, [left, right], answers))
      return this.#complete(window, attempt.rows, known);
    const rows = joinKnown(known, attempt.rows);
    await this.#settle(left, answers[0], clipRows(rows, left));
    await this.#settle(right, answers[1], clipRows(rows, right));
  }

  /** True if the answers to the halves prove the answer to the whole; learns from them either way. */
  #judge(
    window: Window,
    whole: Answer,
    halves: [Window, Window],
    attempts: readonly [Attempt, Attempt],
  ): boolean {
    const { knowledge } = this.#parts;
    const [first, second] = attempts;
    if ('error' in first || 'error' in second) return false;
    const parts = [clipRows(first.rows, halves[0]), clipRows(second.rows, halves[1])];
    if (addTo(clipRows(whole.rows, window), parts)) {
      knowledge.noteCut(whole.size);
      return false;
    }
    if (reachesLimit(first.size, first.limit) || reachesLimit(second.size, second.limit)) return false;
    if (!this.#areSmaller(window, whole, [first, second])) return false;
    knowledge.noteProven(whole.size, spanOf(window));
    return true;
  }

  /**
   * Halves that add nothing prove the whole only where each is smaller than the whole: where all rows lie in one
   * half, its reply is cut just like the whole's.
   */
  #areSmaller(window: Window, whole: Answer, halves: readonly Answer[]): boolean {
    const { knowledge } = this.#parts;
    if (!knowledge.trustsRows(whole.size) && halves.some((half) => half.size.rows >= whole.size.rows))
      return false;
    return window.series.every(({ id }) => {
      const rows = countOf(whole.rows, id);
      return knowledge.trustsSeriesRows(rows) || halves.every((half) => countOf(half.rows, id) < rows);
    });
  }

  /**
   * Divides by series, to free the ones that can be read; one alone is divided by time. Not, however, where nothing of the window
   * answers: then the platform is at fault, or this series as a whole, and asking for every part would take for ever.
   */
  async #settleFailed(window: Window, error: unknown, known?: RowsBySeries): Promise<void> {
    const meaning = this.#meaningOf(error);
    if (meaning === 'stop') throw error;
    const hopeful = meaning === 'isolate' || (await this.#answersSomewhere(window));
    const byTime = meaning === 'smaller' ? divideTime(window) : undefined;
    const halves = hopeful ? (divideSeries(window) ?? byTime) : undefined;
    if (halves === undefined) return this.#parts.onUnreadable(window, messageOf(error));
    for (const half of halves)
      await this.#settle(half, await this.#attempt(half), known && clipRows(known, half));
  }

  async #answersSomewhere(window: Window): Promise<boolean> {
    for (const second of sampleSeconds(window)) if (!('error' in (await this.#attempt(second)))) return true;
    return false;
  }

  /** One series, one second, and still in doubt: the only place where `offset` is relied on. */
  async #pageLastCell(window: Window, first: Answer, known?: RowsBySeries): Promise<void> {
    const { read, knowledge, onUnreadable } = this.#parts;
    let rows = first.rows;
    let page = first.rows;
    for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
      let next: RowsBySeries;
      try {
        next = await read({ ...window, limit: first.limit, offset: sizeOf(rows).rows });
        this.#checkNamed(window, next);
      } catch (error) {
        return this.#settleFailed(window, error, known);
      }
      if (sizeOf(next).rows === 0) {
        knowledge.noteProven(first.size, spanOf(window));
        return this.#complete(window, rows, known);
      }
      if (sameRows(next, page)) break;
      rows = joinRows(rows, next);
      page = next;
    }
    await onUnreadable(
      window,
      'one second holds more rows than the platform returns at once, and `offset` has no effect',
    );
  }

  #complete(window: Window, rows: RowsBySeries, known: RowsBySeries | undefined): Promise<void> {
    return this.#parts.onComplete(window, joinKnown(known, clipRows(rows, window)));
  }
}

/** Rows of an earlier, larger read are kept only where they hold a time that the later one lacks. */
function joinKnown(known: RowsBySeries | undefined, rows: RowsBySeries): RowsBySeries {
  return known !== undefined && addTo(rows, [known]) ? joinRows(known, rows) : rows;
}

function countOf(rows: RowsBySeries, id: number): number {
  return rows.get(id)?.times.length ?? 0;
}
