import { isDeepStrictEqual } from 'node:util';
import { Breaks } from '../breaks.ts';
import { PlantsyncError } from '../errors.ts';
import { type ReplySizes, sizeOf } from './reply-sizes.ts';
import { putOldestFirst } from './row-order.ts';
import { clipRows, countRows, joinRows, type RowsBySeries, sameRows } from './rows.ts';
import { requestsAllowed, type Window } from './window.ts';
import type { Answer, Attempt, FailureMeaning, WindowRequest } from './window-request.ts';

export interface AskerDeps {
  /**
   * Asks the platform for rows. A series without rows has an empty entry if the reply names it, and no entry
   * if the reply leaves it out.
   */
  readonly read: (request: WindowRequest) => Promise<RowsBySeries>;
  readonly classify: (error: unknown) => FailureMeaning;
  readonly replySizes: ReplySizes;
  /** The `limit` sent with every request. It is lowered for good if the platform accepts only a lower one. */
  readonly limit: { current: number };
}

/** The rows of a series after reading on by `offset`. */
export interface ReadOn {
  /** True if the platform is known to have no more rows. */
  readonly isWhole: boolean;
  readonly answer: Answer;
  /** The error that ended the reading early. */
  readonly error?: unknown;
}

/** A reply left out a series, although the platform was seen to name series without rows. */
class UnnamedSeries extends PlantsyncError {
  constructor() {
    super(
      'history.series_unnamed',
      'the reply leaves out this series, although the platform names other series without points: whether this one has points is not known',
    );
  }
}

/** A window used up all the requests that it may take. */
class SpentWindow extends PlantsyncError {
  constructor() {
    super(
      'history.window_spent',
      'the replies to the window prove nothing, and all requests that a window may take are made (docs/data.md has their number)',
    );
  }
}

/** Values of `limit` that are tried when the platform refuses a larger one. */
const LOWER_LIMITS = [10_000, 1_000, 100];

/** Asks the platform about one window and its parts, with no more requests than `requestsAllowed`. */
export class WindowAsker {
  /** Of all work on the replies of the window. */
  readonly breaks = new Breaks();
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

  /** True if the platform answered at least one request of the window. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** True if a request was not made because the window had used up all its requests. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /**
   * Notes the number of rows that came for the first time: a window with many rows may take more requests.
   */
  noteRows(count: number): void {
    this.#rows += Math.max(0, count);
  }

  /** Returns what a failure means. Returns `spent` if the window has no request left. */
  meaningOf(error: unknown): FailureMeaning | 'spent' {
    if (error instanceof SpentWindow) return 'spent';
    return error instanceof UnnamedSeries ? 'isolate' : this.#deps.classify(error);
  }

  /**
   * Asks for a window, and again with a lower `limit` if the platform refuses the first. Throws only a
   * failure that means `stop`.
   */
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

  /**
   * Asks for a window only to see which rows come; reply sizes are not learnt from it. Throws any failure.
   */
  probe(window: Window, limit = this.#deps.limit.current): Promise<RowsBySeries> {
    return this.#read({ ...window, limit, offset: 0 });
  }

  /**
   * Reads by `offset` the rows that follow those of a reply to one series, until no more come or `maxPages`
   * are read. Each page begins with the last row of the page before, which proves that `offset` counts rows.
   * `noted` rows of the window have come already. Throws only a failure that means `stop`.
   */
  async readOn(
    window: Window,
    first: Answer,
    { noted, maxPages }: { noted: number; maxPages: number },
  ): Promise<ReadOn> {
    let rows = first.received;
    let page = rows;
    let inside = await this.#countInside(rows, window);
    let most = Math.max(noted, inside);
    try {
      for (let pages = 1; pages <= maxPages; pages += 1) {
        const count = countRows(rows);
        const overlap = count > 1 ? 1 : 0;
        const offset = Math.max(1, count - overlap);
        const next = await this.#read({ ...window, limit: first.limit, offset });
        this.#checkNamed(window, next);
        if (!isDeepStrictEqual(slice(rows, count - overlap), slice(next, 0, overlap))) break;
        if (await sameRows(next, page, this.breaks)) break;
        const more = slice(next, overlap);
        if (countRows(more) === 0)
          return { isWhole: true, answer: pages === 1 ? first : await this.#answer(rows, first.limit) };
        inside += await this.#countInside(more, window);
        this.noteRows(inside - most);
        most = Math.max(most, inside);
        rows = joinRows(rows, more);
        page = next;
        await this.breaks.takeIfDue();
      }
    } catch (error) {
      if (this.meaningOf(error) === 'stop') throw error;
      return { isWhole: false, answer: await this.#answer(rows, first.limit), error };
    }
    return { isWhole: false, answer: await this.#answer(rows, first.limit) };
  }

  async #countInside(rows: RowsBySeries, window: Window): Promise<number> {
    return countRows(await clipRows(rows, window, this.breaks));
  }

  async #ask(window: Window, limit: number): Promise<Answer> {
    const received = await this.#read({ ...window, limit, offset: 0 });
    this.#checkNamed(window, received);
    const answer = await this.#answer(received, limit);
    this.#deps.replySizes.noteSeen(answer.size);
    this.#hasAnswer = true;
    return answer;
  }

  async #answer(received: RowsBySeries, limit: number): Promise<Answer> {
    await this.breaks.takeIfDue();
    const order = this.#deps.replySizes.noteOrder(received);
    const rows = await putOldestFirst(received, order, this.breaks);
    return { rows, received, size: sizeOf(received), limit };
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
   * Throws `UnnamedSeries` if a platform that names series without rows leaves one out. A platform may say
   * "no rows" either way. But if it usually names such series, leaving one out proves nothing: the request
   * came too early, or that part of the reply was lost.
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

/** Returns a slice of the rows of each series. Series that are left without rows are left out. */
function slice(rows: RowsBySeries, from: number, to?: number): RowsBySeries {
  const parts = [...rows].map(
    ([id, { times, values }]) =>
      [id, { times: times.slice(from, to), values: values.slice(from, to) }] as const,
  );
  return new Map(parts.filter(([, { times }]) => times.length > 0));
}
