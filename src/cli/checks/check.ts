import type { ErrorCode } from '../../errors.ts';

/** One check: it resolves to what was found, or throws an error. */
export interface Check {
  readonly what: string;
  /** The remedy where the error itself has none. */
  readonly remedy?: string;
  /** Whether the check is useless without a token: every try would be another login that fails. */
  readonly needsToken?: boolean;
  /** Another check without which this one cannot succeed: it would fail for the same cause. */
  readonly needs?: string;
  look(): Promise<string>;
}

/** The result of one check. `remedy` says what to do if the check failed. */
export interface CheckResult {
  readonly what: string;
  readonly ok: boolean;
  /** Whether the check was left out because of an earlier failure. */
  readonly skipped?: boolean;
  readonly detail: string;
  /** The code of the error. Undefined if the check succeeded. */
  readonly code?: ErrorCode;
  readonly remedy?: string;
}
