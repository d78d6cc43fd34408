import type { CodeOf, ErrorCode } from './error-codes/error-codes.ts';

export type { ErrorCode } from './error-codes/error-codes.ts';

/**
 * What the caller should do with a failure; decided where the error is made.
 * - `retry`: the same attempt may succeed later.
 * - `stop`: nothing of this kind will succeed until somebody acts.
 * - `skip`: this one item is not available; the others are not affected.
 */
export type Action = 'retry' | 'stop' | 'skip';

/** Exit codes of the process, as documented in docs/commands.md. */
export const ExitCode = { done: 0, failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

export interface ErrorDetails {
  readonly action: Action;
  readonly cause?: unknown;
}

/**
 * The base of all errors that plantsync makes. The code names the kind of failure and never changes. The
 * message says what failed, for what, and what to do.
 */
export class PlantsyncError extends Error {
  override readonly name: string = 'PlantsyncError';
  readonly action: Action;
  constructor(
    readonly code: ErrorCode,
    message: string,
    { action, ...options }: ErrorDetails = { action: 'stop' },
  ) {
    super(message, options);
    this.action = action;
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
    code: CodeOf<'usage' | 'config' | 'ledger' | 'simulator'>,
    message: string,
    readonly problems: readonly string[] = [],
  ) {
    super(
      code,
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

export interface PlatformErrorDetails extends ErrorDetails {
  kind: PlatformErrorKind;
  /** Operation id of the contract, for example `listObjects`. */
  operation: string;
  /** HTTP status, if a reply came. */
  status?: number | undefined;
  /** The platform's own code, for example `800001`. */
  platformCode?: string | undefined;
  /** True if no connection to the platform could be made. Another request would fail the same way. */
  unreachable?: boolean | undefined;
}

/** An operation of the platform failed for good: the client has already retried what may be retried. */
export class PlatformError extends PlantsyncError {
  override readonly name = 'PlatformError';
  declare readonly code: CodeOf<'platform'>;
  readonly kind: PlatformErrorKind;
  readonly operation: string;
  readonly status: number | undefined;
  readonly platformCode: string | undefined;
  readonly unreachable: boolean;
  constructor(code: CodeOf<'platform'>, message: string, details: PlatformErrorDetails) {
    super(code, message, { action: details.action, cause: details.cause });
    this.kind = details.kind;
    this.operation = details.operation;
    this.status = details.status;
    this.platformCode = details.platformCode;
    this.unreachable = details.unreachable ?? false;
  }

  /**
   * True if the platform refuses only the item that was asked for: it does not exist, or not for this
   * application.
   */
  get refusesItem(): boolean {
    return this.action === 'skip' && (this.kind === 'missing' || this.kind === 'failed');
  }

  /**
   * True if the platform says by its own code that the item does not exist. A bare 404 may come from a
   * gateway.
   */
  get deniesItem(): boolean {
    return this.refusesItem && this.kind === 'missing' && this.platformCode !== undefined;
  }

  /** The same error with the place where it happened before its message. */
  at(place: string): PlatformError {
    return new PlatformError(this.code, `${place}: ${this.message}`, { ...this, cause: this });
  }
}

/**
 * A server of ours (Postgres, InfluxDB, Redis) refused or lost a write, or cannot be reached. The code says
 * which server.
 */
export class StoreError extends PlantsyncError {
  override readonly name = 'StoreError';
  constructor(
    code: CodeOf<'postgres' | 'ledger' | 'influx' | 'redis'>,
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** The command was interrupted (SIGINT, SIGTERM) and stopped at a safe point. */
export class InterruptedError extends PlantsyncError {
  override readonly name = 'InterruptedError';
  constructor(code: CodeOf<'interrupted'> = 'interrupted.by_signal', message = 'interrupted') {
    super(code, message);
  }

  override get exitCode(): number {
    return ExitCode.interrupted;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of anything that was thrown. What is not made by plantsync is a fault of the program. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof PlantsyncError ? error.code : 'internal.unexpected';
}

/** The message of anything that was thrown, with its code after it: for reports that people read. */
export function describeError(error: unknown): string {
  return withCode(codeOf(error), messageOf(error));
}

/** A sentence of a report with a code after it. */
export function withCode(code: ErrorCode, sentence: string): string {
  return `${sentence} [${code}]`;
}

/** Why something failed, as members of a log entry. */
export function reasonOf(error: unknown): { readonly reason: string; readonly code: ErrorCode } {
  return { reason: messageOf(error), code: codeOf(error) };
}
