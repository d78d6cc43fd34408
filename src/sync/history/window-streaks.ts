import { UnprovenHistory } from '../../series/bounds.ts';
import type { Outcome } from './window-reader.ts';

/** Windows in a row of which the platform answers nothing, before it is taken to be at fault. */
const MAX_SILENT_WINDOWS = 3;
/** Windows in a row that take all their requests, before the platform is taken to prove nothing. */
const MAX_SPENT_WINDOWS = 3;

/** Counts the windows in a row that come to nothing, so that a platform at fault is not asked for all the others. */
export class WindowStreaks {
  #answered = false;
  #silent = 0;
  #spent = 0;
  #failure: unknown;

  /** True once the platform has answered anything. */
  get hasAnswer(): boolean {
    return this.#answered;
  }

  note({ answered, failure, isSpent = false }: Outcome): void {
    this.#answered ||= answered;
    this.#silent = failure === undefined ? 0 : this.#silent + 1;
    this.#spent = isSpent ? this.#spent + 1 : 0;
    this.#failure = failure ?? this.#failure;
  }

  /** Throws if too many windows in a row failed: the last failure, or that nothing is proven. */
  throwIfLong(): void {
    if (this.#silent >= MAX_SILENT_WINDOWS) throw this.#failure;
    if (this.#spent >= MAX_SPENT_WINDOWS)
      throw new UnprovenHistory(
        'history.window_spent',
        `the replies to ${MAX_SPENT_WINDOWS} windows in a row do not prove what they hold, although each took all requests that it may take. Nothing more of this stream is read in this run; docs/data.md tells what proves a reply`,
      );
  }

  /** Throws the last failure if the platform answered nothing of any window. */
  throwIfSilent(): void {
    if (!this.#answered && this.#failure !== undefined) throw this.#failure;
  }
}
