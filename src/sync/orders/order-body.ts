import type { Range } from '../../series/types.ts';

/** What the body of an order for a backfill says. Times are epoch microseconds. */
export interface BackfillBody extends Range {
  /** Globs of objects and properties. Undefined for all. */
  readonly object?: string | undefined;
  readonly property?: string | undefined;
  /** Whether the history of alarms is filled, instead of that of series. */
  readonly alarms: boolean;
  /** Whether stored data is read again. */
  readonly force: boolean;
}

/** What the body of an order for a replay says: some rejects, or all open ones, of a stream if given. */
export interface ReplayBody {
  readonly ids?: readonly number[] | undefined;
  readonly stream?: string | undefined;
}

/** What became of a reject that was tried again, as the result of an order keeps it. */
export interface ReplayedCase {
  readonly id: number;
  readonly outcome: 'resolved' | 'refused' | 'open';
  readonly note?: string | undefined;
}
