import type { ReplySize } from './reply-sizes.ts';
import type { RowsBySeries } from './rows.ts';
import type { Window } from './window.ts';

/** One request to the platform for a window. */
export interface WindowRequest extends Window {
  readonly limit: number;
  readonly offset: number;
}

/**
 * What a failed read says about its window.
 * - `smaller`: a part of the window may succeed (time-out, reply too large, server error).
 * - `isolate`: one series of the window cannot be read at all; the others can.
 * - `refused`: like `isolate`, unless the platform refused `limit` as too large.
 * - `stop`: no part of the window will succeed now.
 */
export type FailureMeaning = 'smaller' | 'isolate' | 'refused' | 'stop';

/** A reply to a window. */
export interface Answer {
  /**
   * The rows, oldest first if the platform sorts them. For equal times, the platform's newest row is last.
   */
  readonly rows: RowsBySeries;
  /** The rows in the order received. */
  readonly received: RowsBySeries;
  readonly size: ReplySize;
  /** The `limit` of the request. */
  readonly limit: number;
}

/** The answer to one request, or its failure. */
export type Attempt = Answer | { readonly error: unknown };
