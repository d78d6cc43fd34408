import { hash } from 'node:crypto';

/**
 * Runs statements: the database, a client, or an open transaction. Parameters and results are as in
 * `type-parsers`.
 */
export interface Queryable {
  readonly query: (
    statement: string | Prepared,
    values?: unknown[],
  ) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

/** A statement that each session reads and plans once, for all values. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/**
 * Makes a statement that a session plans once. It is for statements that run often and take longer to plan
 * than to do. There must be few different ones, since sessions keep them.
 */
export function prepared(text: string): Prepared {
  return { name: hash('sha1', text, 'hex'), text };
}

/** A handle on an open Postgres transaction. */
export type Transaction = Queryable;
