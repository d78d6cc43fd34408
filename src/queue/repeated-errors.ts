import type { ErrorCode } from '../errors.ts';
import type { Logger } from '../log.ts';

/** A repeated error is logged once in this time. */
const SAME_COMPLAINT_MS = 60_000;

/** Logs errors that come again and again, as in an outage, only now and then. */
export class RepeatedErrors {
  readonly #about: object;
  readonly #log: Logger;
  readonly #clock: () => number;
  #last: { readonly message: string; readonly atMs: number } | undefined;
  #failures = 0;

  /** `about` stands in each log entry, for example `{ job: 'poll-1' }`. */
  constructor(about: object, parts: { readonly log: Logger; readonly clock: () => number }) {
    this.#about = about;
    this.#log = parts.log;
    this.#clock = parts.clock;
  }

  say(message: string, code: ErrorCode): void {
    this.#failures += 1;
    const isNews = message !== this.#last?.message || this.#clock() - this.#last.atMs >= SAME_COMPLAINT_MS;
    this.#log[isNews ? 'error' : 'debug']({ ...this.#about, code, failures: this.#failures }, message);
    if (isNews) this.#last = { message, atMs: this.#clock() };
  }

  end(): void {
    if (this.#failures > 0) this.#log.info({ ...this.#about, failures: this.#failures }, 'succeeds again');
    this.#failures = 0;
    this.#last = undefined;
  }
}
