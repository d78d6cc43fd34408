import { setMaxListeners } from 'node:events';
import type { Page } from '../platform/platform.ts';

export interface PagesAheadOptions {
  /** Reads one page; pages count from 1. */
  readonly read: (number: number, signal: AbortSignal) => Promise<Page>;
  /** Pages asked for and not yet taken, at most. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks for pages before they are needed, several at once, and gives them out in the order of their numbers. */
export class PagesAhead {
  readonly #options: PagesAheadOptions;
  readonly #pages = new Map<number, Promise<Page>>();
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.#controller.abort(this.#options.signal?.reason);

  constructor(options: PagesAheadOptions) {
    const { signal } = options;
    this.#options = options;
    // Many lists follow the signal of one run. That is no leak: each leaves it when it ends.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', this.#follow, { once: true });
    if (signal?.aborted) this.#follow();
  }

  /** Asks for the pages from `first` on, up to `last`, as far as there is room. */
  ask(first: number, last: number): void {
    const { read, atOnce } = this.#options;
    for (let number = first; number <= Math.min(last, first + atOnce - 1); number += 1) {
      if (this.#pages.has(number)) continue;
      const page = read(number, this.#controller.signal);
      // It is thrown to whoever takes the page; until then nobody listens.
      page.catch(() => undefined);
      this.#pages.set(number, page);
    }
  }

  /** The page, which must have been asked for. Rejects as its reading does. */
  async take(number: number): Promise<Page> {
    const page = this.#pages.get(number);
    if (page === undefined) throw new Error(`page ${number} was not asked for`);
    const taken = await page;
    this.#pages.delete(number);
    return taken;
  }

  /** Ends what is under way; resolves when nothing is. */
  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#follow);
    // An abort without need costs as much as a page.
    if (this.#pages.size > 0) this.#controller.abort();
    await Promise.allSettled(this.#pages.values());
  }
}
