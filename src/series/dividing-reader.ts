import type { Breaks } from '../breaks.ts';
import { describeError, withCode } from '../errors.ts';
import {
  type Bounds,
  describeBounds,
  findOutside,
  findProven,
  isElsewhere,
  isSuspicious,
  keepsBounds,
  type Outside,
  probeBounds,
  probeTimes,
} from './bounds.ts';
import { reachesLimit } from './reply-sizes.ts';
import { addTo, clipRows, countRows, joinRows, type RowsBySeries, sameRows } from './rows.ts';
import { divideSeries, divideTime, sampleSeconds, spanOf, type Window } from './window.ts';
import { type AskerDeps, WindowAsker } from './window-asker.ts';
import type { Answer, Attempt } from './window-request.ts';

export interface ReaderDeps extends AskerDeps {
  /**
   * Takes each part of the window whose rows are proven complete, with these rows clipped to it, in the order
   * received.
   */
  readonly onComplete: (window: Window, rows: RowsBySeries) => Promise<void>;
  /** Takes each part that could not be read; the part stays uncovered. */
  readonly onUnreadable: (window: Window, reason: string) => Promise<void>;
}

/** How the reading of a window ended. */
export interface WindowRead {
  /** False if the platform answered no request for the window or its parts. */
  readonly answered: boolean;
  /** True if the window used up all its requests, so that a part of it is unread. */
  readonly isSpent: boolean;
}

/** Most pages that are read of one second of one series. */
const MAX_PAGES = 1_000;
/** The bounds of a platform that sends the same rows whatever range it is asked for. */
const NO_BOUNDS: Bounds = { ignoresGe: true, ignoresLt: true, cutsAtEnd: false, isShifted: false };
/** Most pages that are read of one series in a window whose bounds are ignored. */
const MAX_UNBOUNDED_PAGES = 10;

/**
 * Reads one window so that every part reported complete has every row the platform holds. This holds for any
 * hidden cap, any order, any meaning of `limit`, a broken `offset`, and ignored bounds. Completeness is
 * proven by size: a reply larger than every proven one is compared with the replies to the halves of its
 * window.
 * The reading ends, because every division halves seconds or series, and `requestsAllowed` bounds the
 * requests.
 */
export class DividingReader {
  readonly #window: Window;
  readonly #deps: ReaderDeps;
  readonly #asker: WindowAsker;

  constructor(window: Window, deps: ReaderDeps) {
    this.#window = window;
    this.#deps = deps;
    this.#asker = new WindowAsker(deps, window);
  }

  /**
   * Reads the window until each of its parts is complete or unreadable. Throws what `read` of the deps throws
   * if that failure means `stop`. Throws `UnprovenHistory` if a bound is ignored and no reply is proven.
   */
  async read(): Promise<WindowRead> {
    await this.#decide(this.#window, await this.#asker.attempt(this.#window));
    const { hasAnswer, isSpent } = this.#asker;
    return { answered: hasAnswer, isSpent };
  }

  /**
   * Decides on a window by the answer to it. `known` holds rows of the window that came with a larger window.
   */
  async #decide(window: Window, attempt: Attempt, known?: RowsBySeries): Promise<void> {
    if ('error' in attempt) return this.#decideFailed(window, attempt.error, known);
    this.#asker.noteRows(countRows(await this.#clip(attempt.rows, window)) - countRows(known));
    await this.#asker.breaks.takeIfDue();
    const outside = findOutside(window, attempt.received);
    await this.#asker.breaks.takeIfDue();
    const isStrange = outside !== undefined && isSuspicious(outside);
    if (outside === undefined || !(isStrange || isElsewhere(outside)))
      return this.#decideBySize(window, attempt, known);
    const bounds = await this.#learnBounds(window, outside, isStrange ? 'several rows' : 'one row');
    if ('error' in bounds)
      return this.#decideFailed(window, bounds.error, await this.#joinKnown(known, attempt.rows));
    if (keepsBounds(bounds)) return this.#decideBySize(window, attempt, known);
    if (bounds.isShifted || (await this.#decideUnbounded(window, attempt, { bounds, known })) !== undefined)
      throw describeBounds(window, outside, bounds);
  }

  async #decideBySize(window: Window, answer: Answer, known?: RowsBySeries): Promise<void> {
    if (this.#trusts(window, answer)) return this.#complete(window, answer.rows, known);
    const halves = divideTime(window) ?? divideSeries(window);
    if (halves === undefined) return this.#pageLastCell(window, answer, known);
    const [left, right] = halves;
    const answers = [await this.#asker.attempt(left), await this.#asker.attempt(right)] as const;
    if (await this.#judge(window, answer, [left, right], answers))
      return this.#complete(window, answer.rows, known);
    const rows = (await haveSameRows(answers, this.#asker.breaks))
      ? await this.#decideUnbounded(window, answer, { bounds: NO_BOUNDS, known })
      : await this.#joinKnown(known, answer.rows);
    if (rows === undefined) return;
    await this.#decide(left, answers[0], await this.#clip(rows, left));
    await this.#decide(right, answers[1], await this.#clip(rows, right));
  }

  /** True if the answers to the halves prove the answer to the whole; learns from them either way. */
  async #judge(
    window: Window,
    whole: Answer,
    halves: [Window, Window],
    attempts: readonly [Attempt, Attempt],
  ): Promise<boolean> {
    const { replySizes } = this.#deps;
    const [first, second] = attempts;
    if ('error' in first || 'error' in second) return false;
    const parts = [await this.#clip(first.rows, halves[0]), await this.#clip(second.rows, halves[1])];
    if (await addTo(await this.#clip(whole.rows, window), parts, this.#asker.breaks)) {
      replySizes.noteCut(whole.size);
      return false;
    }
    // A row near the window may have taken the place of one inside. Both halves may have such a row.
    for (const half of [first, second])
      if (await addTo(whole.rows, [half.rows], this.#asker.breaks)) return false;
    if (reachesLimit(first.size, first.limit) || reachesLimit(second.size, second.limit)) return false;
    if (!this.#areSmaller(window, whole, [first, second])) return false;
    replySizes.noteProven(whole.size, spanOf(window));
    return true;
  }

  /**
   * Returns true if each half's reply is smaller than the reply to the whole window, or if that size is
   * trusted. If all rows lie in one half, that half's reply may be cut exactly like the whole's.
   */
  #areSmaller(window: Window, whole: Answer, halves: readonly Answer[]): boolean {
    const { replySizes } = this.#deps;
    if (!replySizes.trustsRows(whole.size) && halves.some((half) => half.size.rows >= whole.size.rows))
      return false;
    return window.series.every(({ id }) => {
      const rows = countOf(whole.rows, id);
      return replySizes.trustsSeriesRows(rows) || halves.every((half) => countOf(half.rows, id) < rows);
    });
  }

  /**
   * Divides a failed window by series, so that readable series are still read. A single series is divided by
   * time. If no sample of the window answers, the window is not divided. Then the platform or the whole
   * series is at fault, and asking for every part would take for ever.
   */
  async #decideFailed(window: Window, error: unknown, known?: RowsBySeries): Promise<void> {
    const meaning = this.#asker.meaningOf(error);
    if (meaning === 'stop') throw error;
    const hopeful = meaning === 'isolate' || (meaning !== 'spent' && (await this.#answersSomewhere(window)));
    const byTime = meaning === 'smaller' ? divideTime(window) : undefined;
    const halves = hopeful ? (divideSeries(window) ?? byTime) : undefined;
    if (halves === undefined) return this.#deps.onUnreadable(window, describeError(error));
    for (const half of halves)
      await this.#decide(half, await this.#asker.attempt(half), known && (await this.#clip(known, half)));
  }

  async #answersSomewhere(window: Window): Promise<boolean> {
    for (const second of sampleSeconds(window))
      if (!('error' in (await this.#asker.attempt(second)))) return true;
    return false;
  }

  /**
   * Reads on by `offset` a doubtful window that cannot be divided: one series, one second (or bucket).
   * `offset` is relied on only here and where bounds are ignored.
   */
  async #pageLastCell(window: Window, first: Answer, known?: RowsBySeries): Promise<void> {
    if ((await this.#readOn(window, first, { known, maxPages: MAX_PAGES })) === undefined) return;
    const outside = findOutside(window, first.received, 0);
    const bounds = outside && (await this.#learnBounds(window, outside, 'several rows'));
    if (bounds !== undefined && 'error' in bounds)
      return this.#deps.onUnreadable(window, describeError(bounds.error));
    if (outside && bounds && !keepsBounds(bounds)) throw describeBounds(window, outside, bounds);
    await this.#deps.onUnreadable(
      window,
      withCode(
        'history.offset_ignored',
        'whether one second holds more rows than the platform sent is not known, because `offset` has no effect',
      ),
    );
  }

  /**
   * Decides on a window although a bound is ignored. Resolves to all known rows of it if it has one series
   * and is not proven.
   */
  async #decideUnbounded(
    window: Window,
    answer: Answer,
    { bounds, known }: { bounds: Bounds; known: RowsBySeries | undefined },
  ): Promise<RowsBySeries | undefined> {
    const { replySizes } = this.#deps;
    const { rows } = answer;
    await this.#asker.breaks.takeIfDue();
    const isTrusted = this.#trusts(window, answer);
    const proven = isTrusted
      ? window.series
      : findProven({ rows, order: replySizes.learned.order, bounds }, window);
    if (proven.length > 0) await this.#complete({ ...window, series: proven }, rows, known);
    const series = window.series.filter((each) => !proven.includes(each));
    if (series.length === 0) return undefined;
    if (window.series.length === 1) {
      const unproven = await this.#readOn(window, answer, { known, maxPages: MAX_UNBOUNDED_PAGES });
      if (unproven === undefined) replySizes.noteReadsOn();
      return unproven;
    }
    // A reply to one series alone has room for more of its rows, and ends where that series ends.
    const rest = { ...window, series };
    const seen = await this.#joinKnown(known, rows);
    for (const part of divideSeries(rest) ?? [rest])
      await this.#decide(part, await this.#asker.attempt(part), await this.#clip(seen, part));
    return undefined;
  }

  /**
   * Reads a window of one series on by `offset`. Resolves to all known rows of it if the pages do not prove
   * the window.
   */
  async #readOn(
    window: Window,
    first: Answer,
    { known, maxPages }: { known: RowsBySeries | undefined; maxPages: number },
  ): Promise<RowsBySeries | undefined> {
    const noted = countRows(known);
    const { isWhole, answer, error } = await this.#asker.readOn(window, first, { noted, maxPages });
    if (isWhole) {
      if (answer === first) this.#deps.replySizes.noteProven(first.size, spanOf(window));
      await this.#complete(window, answer.rows, known);
      return undefined;
    }
    const rows = await this.#joinKnown(known, answer.rows);
    if (error === undefined) return rows;
    await this.#decideFailed(window, error, rows);
    return undefined;
  }

  /**
   * Learns how the platform treats bounds, by several rows or by one. Resolves to the error of a probe that
   * failed.
   */
  async #learnBounds(
    window: Window,
    outside: Outside,
    by: 'several rows' | 'one row',
  ): Promise<Bounds | { readonly error: unknown }> {
    const asker = this.#asker;
    const probe = (asked: Window, limit?: number) =>
      asker.probe(asked, limit).catch((error: unknown) => {
        if (asker.meaningOf(error) === 'refused') return undefined;
        throw error;
      });
    const find = by === 'several rows' ? probeBounds : probeTimes;
    try {
      return await this.#deps.replySizes.learnBounds(by, () => find(window, outside, probe));
    } catch (error) {
      if (asker.meaningOf(error) === 'stop') throw error;
      return { error };
    }
  }

  #trusts(window: Window, { size, limit }: Answer): boolean {
    return this.#deps.replySizes.trusts(size, spanOf(window), limit);
  }

  async #complete(window: Window, rows: RowsBySeries, known: RowsBySeries | undefined): Promise<void> {
    const own = await this.#clip(rows, window);
    const earlier = known && (await this.#clip(known, window));
    return this.#deps.onComplete(window, await this.#joinKnown(earlier, own));
  }

  #clip(rows: RowsBySeries, window: Window): Promise<RowsBySeries> {
    return clipRows(rows, window, this.#asker.breaks);
  }

  /** Rows of an earlier, larger read are kept only where they hold a time that the later one lacks. */
  async #joinKnown(known: RowsBySeries | undefined, rows: RowsBySeries): Promise<RowsBySeries> {
    const isNeeded = known !== undefined && (await addTo(rows, [known], this.#asker.breaks));
    if (!isNeeded) return rows;
    await this.#asker.breaks.takeIfDue();
    return joinRows(known, rows);
  }
}

/**
 * Returns true if two windows without a common second got the same rows, at least two: dividing on would
 * change nothing. A single row can be the last value before either window.
 */
async function haveSameRows([first, second]: readonly [Attempt, Attempt], breaks: Breaks): Promise<boolean> {
  if ('error' in first || 'error' in second) return false;
  return countRows(first.received) >= 2 && sameRows(first.received, second.received, breaks);
}

function countOf(rows: RowsBySeries, id: number): number {
  return rows.get(id)?.times.length ?? 0;
}
