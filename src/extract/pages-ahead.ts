import { setMaxListeners } from 'node:events';
import { type FollowedSignal, followSignal } from '../follow-signal.ts';
import type { Page } from '../platform/platform.ts';

export interface PagesAheadOptions {
  /** Reads one page; pages count from 1. */
  readonly read: (number: number, signal: AbortSignal | undefined) => Promise<Page>;
  /** Most pages that are asked for and not yet taken. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks for pages before they are needed, several at once, and gives them out in the order of their numbers.
 */
export class PagesAhead {
  readonly #options: PagesAheadOptions;
  readonly #pages = new Map<number, Promise<Page>>();
  /** Ends the pages after the first. Most lists have only one page, and need none. */
  #ahead: FollowedSignal | undefined;

  constructor(options: PagesAheadOptions) {
    this.#options = options;
  }

  /** Asks for the pages from `first` to `last`, but for no more than `atOnce`. */
  ask(first: number, last: number): void {
    const { read, atOnce } = this.#options;
    for (let number = first; number <= Math.min(last, first + atOnce - 1); number += 1) {
      if (this.#pages.has(number)) continue;
      const page = read(number, number === 1 ? this.#options.signal : this.#signalAhead());
      // The failure reaches the caller of `take`; until then nothing else handles it.
      page.catch(() => undefined);
      this.#pages.set(number, page);
    }
  }

  /** Resolves to a page that was asked for. Rejects as the reading of the page does. */
  async take(number: number): Promise<Page> {
    const page = this.#pages.get(number);
    if (page === undefined) throw new Error(`page ${number} was not asked for`);
    const taken = await page;
    this.#pages.delete(number);
    return taken;
  }

  /** Ends the requests that are under way. Resolves when all have ended. */
  async close(): Promise<void> {
    if (this.#ahead === undefined) return;
    this.#ahead.stop();
    // An abort that is not needed costs as much as a page.
    if (this.#pages.size > 0) this.#ahead.controller.abort();
    await Promise.allSettled(this.#pages.values());
  }

  /** Nobody gives up the list while its first page is read: it is awaited alone. */
  #signalAhead(): AbortSignal {
    if (this.#ahead !== undefined) return this.#ahead.controller.signal;
    const { signal } = this.#options;
    // Many lists listen to the signal of one run. That is no leak, because each stops when it ends.
    if (signal !== undefined) setMaxListeners(0, signal);
    this.#ahead = followSignal(signal);
    return this.#ahead.controller.signal;
  }
}
