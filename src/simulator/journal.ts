import type { OperationId } from '../platform/operations.ts';

/** One request, without secrets. */
export interface JournalEntry {
  readonly at: string;
  readonly operation: OperationId | undefined;
  readonly method: string;
  /** The path as it came, percent-encoded. An access token in it is replaced. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Status of the reply, or 0 if there was none. */
  status: number;
}

/** Counts of requests since the start or the last reset. */
export interface RequestCounts {
  total: number;
  byOperation: Partial<Record<OperationId, number>>;
  /** The most requests that were under way at once. */
  maxConcurrent: number;
}

const secretParameters = ['secret', 'refreshToken', 'code', 'access_token', 'token'];
const REDACTED = '***';
const MAX_ENTRIES = 20_000;

/** Counts requests and keeps the latest of them. */
export class Journal {
  readonly #entries: JournalEntry[] = [];
  #counts: RequestCounts = { total: 0, byOperation: {}, maxConcurrent: 0 };
  #underWay = 0;

  /** Notes a request that has come in. The caller calls `end` with the entry when the request is over. */
  begin(entry: JournalEntry): void {
    this.#underWay += 1;
    this.#counts.total += 1;
    this.#counts.maxConcurrent = Math.max(this.#counts.maxConcurrent, this.#underWay);
    if (entry.operation)
      this.#counts.byOperation[entry.operation] = (this.#counts.byOperation[entry.operation] ?? 0) + 1;
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, MAX_ENTRIES / 2);
  }

  end(entry: JournalEntry, status: number): void {
    this.#underWay -= 1;
    entry.status = status;
  }

  counts(): RequestCounts {
    return { ...this.#counts, byOperation: { ...this.#counts.byOperation } };
  }

  /** Returns the latest requests, oldest first. At least the last 10,000 are kept. */
  entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  reset(): void {
    this.#counts = { total: 0, byOperation: {}, maxConcurrent: this.#underWay };
    this.#entries.length = 0;
  }
}

/**
 * Returns query parameters with every secret replaced. `tokenName` is the parameter that carries the token in
 * the dialect.
 */
export function redactQuery(
  query: Readonly<Record<string, unknown>>,
  tokenName: string | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) =>
      secretParameters.includes(name) || name === tokenName ? [name, REDACTED] : [name, value],
    ),
  );
}

/** Returns the path with an access token in it replaced. */
export function redactPath(path: string): string {
  return path.replace(/(\/oauth2\/v1\/)[^/]+(\/username)/, `$1${REDACTED}$2`);
}
