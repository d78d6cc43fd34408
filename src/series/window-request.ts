import type { ReplySize } from './reply-sizes.ts';
import type { RowsBySeries } from './rows.ts';
import type { Window } from './window.ts';

/** One question to the platform. */
export interface WindowRequest extends Window {
  readonly limit: number;
  readonly offset: number;
}

/**
 * What a failed read says about its window.
 * - `smaller`: a part of the window may succeed (time-out, too large, an error of the server).
 * - `isolate`: a series of it cannot be read at all; the others can.
 * - `refused`: like `isolate`, unless it was `limit` that the platform found too large.
 * - `stop`: no part of it will succeed now.
 */
export type FailureMeaning = 'smaller' | 'isolate' | 'refused' | 'stop';

/** A reply to a window. */
export interface Answer {
  /** The rows, the oldest first where the platform sorts them; of equal times the one it has last is the last. */
  readonly rows: RowsBySeries;
  /** The rows in the order received. */
  readonly received: RowsBySeries;
  readonly size: ReplySize;
  /** The `limit` that was asked with. */
  readonly limit: number;
}

/** What became of one question. */
export type Attempt = Answer | { readonly error: unknown };
