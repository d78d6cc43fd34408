import { UnprovenHistory } from '../../series/bounds.ts';
import type { Outcome } from './window-reader.ts';

/** Windows in a row that may stay unanswered before the platform counts as faulty. */
const MAX_SILENT_WINDOWS = 3;
/** Windows in a row that may take all their requests before the replies count as proving nothing. */
const MAX_SPENT_WINDOWS = 3;

/**
 * Counts windows in a row that bring nothing, so that a faulty platform is not asked for all other windows.
 */
export class WindowStreaks {
  #answered = false;
  #silent = 0;
  #spent = 0;
  #failure: unknown;

  /** True once the platform has answered for any window. */
  get hasAnswer(): boolean {
    return this.#answered;
  }

  note({ answered, failure, isSpent = false }: Outcome): void {
    this.#answered ||= answered;
    this.#silent = failure === undefined ? 0 : this.#silent + 1;
    this.#spent = isSpent ? this.#spent + 1 : 0;
    this.#failure = failure ?? this.#failure;
  }

  /**
   * Throws the last failure if too many windows in a row stayed unanswered. Throws UnprovenHistory if too
   * many in a row took all their requests.
   */
  throwIfLong(): void {
    if (this.#silent >= MAX_SILENT_WINDOWS) throw this.#failure;
    if (this.#spent >= MAX_SPENT_WINDOWS)
      throw new UnprovenHistory(
        'history.window_spent',
        `the replies to ${MAX_SPENT_WINDOWS} windows in a row are not proven complete, although each window took all requests that it may take. Nothing more of this stream is read in this run; docs/data.md tells what proves a reply`,
      );
  }

  /** Throws the last failure if the platform answered for no window. */
  throwIfSilent(): void {
    if (!this.#answered && this.#failure !== undefined) throw this.#failure;
  }
}
