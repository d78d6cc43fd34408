import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type Sleep, sleepOrWake } from '../../sleep.ts';

/** Names of what may change, each with a text that changes with it. */
export type Marks = Readonly<Record<string, string>>;

export interface LiveFeedOptions {
  /** Reads the marks of everything that pages show. */
  readonly readMarks: () => Promise<Marks>;
  /** Is called before the listeners are told that something has changed. */
  readonly onChange?: () => void;
  readonly log: Logger;
  readonly sleep?: Sleep;
}

/** Is told the names of what has changed. An empty list is a sign of life. */
export type Listener = (changed: readonly string[]) => void;

/** The time between two looks at what has changed. */
const EVERY_MS = 2_000;

/**
 * Tells open pages what has changed, so that they ask for it. However many pages are open, the ledger is
 * asked once for all of them, and never while nobody listens.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #listeners = new Set<Listener>();
  readonly #ending = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Tells the listener of changes from now on. Call the returned function to end it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#listeners.clear();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { readMarks, onChange, log, sleep = sleepOrWake } = this.#options;
    let seen: Marks | undefined;
    while (this.#listeners.size > 0 && !this.#ending.signal.aborted) {
      let changed: string[] = [];
      try {
        const marks = await readMarks();
        const before = seen ?? marks;
        changed = Object.keys(marks).filter((name) => marks[name] !== before[name]);
        seen = marks;
      } catch (error) {
        log.debug(reasonOf(error), 'the console cannot tell what has changed');
      }
      if (changed.length > 0) onChange?.();
      for (const listener of this.#listeners) listener(changed);
      await sleep(EVERY_MS, this.#ending.signal);
    }
  }
}
