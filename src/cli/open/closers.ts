import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/** Closes everything that was opened: in reverse order, each exactly once. */
export class Closers {
  readonly #closers: (() => Promise<void> | void)[] = [];
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  /** Closes everything. A failure to close is logged, and the others are closed all the same. */
  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        this.#log.warn(reasonOf(error), 'a connection could not be closed properly');
      }
    }
  }
}
