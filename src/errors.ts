/**
 * What the caller should do with a failure; decided where the error is made.
 * - `retry`: the same attempt may succeed later.
 * - `stop`: nothing of this kind will succeed until somebody acts.
 * - `skip`: this one item cannot be had; the others are not affected.
 */
export type Action = 'retry' | 'stop' | 'skip';

/** Exit codes of the process, as documented in the README. */
export const ExitCode = { done: 0, failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

/** Base of all errors that plantsync makes. The message says what failed, for what, and what to do. */
export class PlantsyncError extends Error {
  override readonly name: string = 'PlantsyncError';
  constructor(
    message: string,
    readonly action: Action = 'stop',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Exit code of a one-shot command that ends with this error. */
  get exitCode(): number {
    return ExitCode.failed;
  }
}

/** Wrong command-line arguments or configuration: nothing was touched. `problems` lists all of them. */
export class UsageError extends PlantsyncError {
  override readonly name = 'UsageError';
  constructor(
    message: string,
    readonly problems: readonly string[] = [],
  ) {
    super(
      problems.length > 0 ? `${message}\n${problems.map((problem) => `  - ${problem}`).join('\n')}` : message,
    );
  }

  override get exitCode(): number {
    return ExitCode.usage;
  }
}

/**
 * Why an operation of the platform failed.
 * - `auth`: refused although the token was renewed.
 * - `missing`: the platform says that the named thing does not exist.
 * - `parameter`: the platform refuses the request's parameters (code 800003).
 * - `failed`: the platform says "operation failed" (code 800001) or an unknown 4xx.
 * - `too_large`: the reply exceeds the byte limit, or HTTP 413.
 * - `timeout`: no complete reply within the deadline.
 * - `unavailable`: 5xx, 408, 425, 429 or a network error, after all retries.
 * - `malformed`: a reply that is not what the contract says (HTML, broken JSON, lacking its member).
 */
export type PlatformErrorKind =
  | 'auth'
  | 'missing'
  | 'parameter'
  | 'failed'
  | 'too_large'
  | 'timeout'
  | 'unavailable'
  | 'malformed';

export interface PlatformErrorDetails {
  kind: PlatformErrorKind;
  action: Action;
  /** Operation id of the contract, for example `listObjects`. */
  operation: string;
  /** HTTP status, if a reply came. */
  status?: number | undefined;
  /** The platform's own code, for example `800001`. */
  code?: string | undefined;
  /** True when no connection to the platform could be made at all: another request would fail the same way. */
  unreachable?: boolean | undefined;
}

/** An operation of the platform failed for good: the client has already retried what may be retried. */
export class PlatformError extends PlantsyncError {
  override readonly name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  readonly operation: string;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly unreachable: boolean;
  constructor(message: string, details: PlatformErrorDetails, options?: ErrorOptions) {
    super(message, details.action, options);
    this.kind = details.kind;
    this.operation = details.operation;
    this.status = details.status;
    this.code = details.code;
    this.unreachable = details.unreachable ?? false;
  }

  /** True if the platform refuses just the item that was asked for: it has it not, or not for this application. */
  get refusesItem(): boolean {
    return this.action === 'skip' && (this.kind === 'missing' || this.kind === 'failed');
  }

  /** True if the platform itself says, by a code of its own, that the item does not exist. A bare 404 may come from a gateway. */
  get deniesItem(): boolean {
    return this.refusesItem && this.kind === 'missing' && this.code !== undefined;
  }

  /** The same error with the place where it happened before its message. */
  at(place: string): PlatformError {
    return new PlatformError(`${place}: ${this.message}`, this, { cause: this });
  }
}

/** A server of ours (Postgres, InfluxDB, Redis) refused or lost a write, or cannot be reached. `store` names it for people. */
export class StoreError extends PlantsyncError {
  override readonly name = 'StoreError';
  constructor(
    message: string,
    readonly store: string,
    action: Action,
    options?: ErrorOptions,
  ) {
    super(message, action, options);
  }
}

/** The command was interrupted (SIGINT, SIGTERM) and stopped at a safe point. */
export class InterruptedError extends PlantsyncError {
  override readonly name = 'InterruptedError';
  constructor(message = 'interrupted') {
    super(message, 'stop');
  }

  override get exitCode(): number {
    return ExitCode.interrupted;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
