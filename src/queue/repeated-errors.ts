import type { ErrorCode } from '../errors.ts';
import type { Logger } from '../log.ts';

/**
 * Logs errors that come again and again, as in an outage, and that they are over. The log says an error that
 * repeats only now and then.
 */
export class RepeatedErrors {
  readonly #about: object;
  readonly #log: Logger;
  #failures = 0;

  /** `about` stands in each log entry, for example `{ job: 'poll-1' }`. */
  constructor(about: object, log: Logger) {
    this.#about = about;
    this.#log = log;
  }

  say(message: string, code: ErrorCode): void {
    this.#failures += 1;
    this.#log.error({ ...this.#about, code, failures: this.#failures }, message);
  }

  end(): void {
    if (this.#failures > 0) this.#log.info({ ...this.#about, failures: this.#failures }, 'succeeds again');
    this.#failures = 0;
  }
}
