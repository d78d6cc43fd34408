import type { Transaction } from '../../postgres/queryable.ts';
import type { Range, Series, SeriesPoints } from '../../series/types.ts';
import type { PlacedAlarmEvent } from '../../streams/alarm-row.ts';

/** Points of one window to write. The window is complete for every series in it. */
export interface PointBatch {
  /** The name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly range: Range;
  /** Every series of the window. A series without points has empty arrays. */
  readonly series: readonly SeriesPoints[];
  /** Whether nothing of this range was stored before, so that a plain append is likely to succeed. */
  readonly fresh: boolean;
}

export interface WriteResult {
  /** The number of points written (inserted or replaced). */
  readonly written: number;
  /** The number of points that have no place in this store (null, NaN in InfluxDB). */
  readonly skipped: number;
  /** The points that the store refused for good. */
  readonly refused: readonly RefusedPoints[];
}

/** Points of one series that a store refused for good. */
export interface RefusedPoints {
  readonly seriesId: number;
  readonly range: Range;
  readonly reason: string;
  readonly count: number;
  /** Up to three points as text, for people. */
  readonly samples: readonly string[];
}

/**
 * Notes which points are stored, and which were refused for good. Gets the transaction of the points, if
 * there is one.
 */
export type Commit = (tx: Transaction | undefined, refused: readonly RefusedPoints[]) => Promise<void>;

/** Does the work that belongs to polled values, with those of the values that were kept. */
export type CommitPolls = (tx: Transaction | undefined, kept: readonly SeriesPoints[]) => Promise<void>;

/** The store for the events of alarms. Each event is one point, also if it is written again. */
export interface EventStore {
  /** The identity of the destination, which differs from that of the store's points. */
  readonly id: string;
  /**
   * Writes events. Resolves, after the store has acknowledged them, to the events that it refused for good.
   */
  write(
    events: readonly PlacedAlarmEvent[],
  ): Promise<{ readonly written: number; readonly refused: readonly RefusedEvent[] }>;
}

/** An event that a store refused for good, and the reason. */
export interface RefusedEvent {
  readonly event: PlacedAlarmEvent;
  readonly reason: string;
}

/** A range of time of some series. */
export interface Stretch {
  /** The name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly series: readonly Series[];
  readonly range: Range;
}

/** A question for some points of one series, at either end of a range. */
export interface PointPage {
  /** The name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly series: Series;
  readonly range: Range;
  readonly order: PageOrder;
  /** The most points of the page. */
  readonly limit: number;
}

export type PageOrder = 'oldest first' | 'newest first';

/** A question for one series over a range, in buckets of equal length that begin with the range. */
export interface Reduction {
  /** The name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly series: Series;
  readonly range: Range;
  /** The length of a bucket in microseconds. */
  readonly stepUs: number;
}

/** The points of one bucket that have a number. */
export interface NumberBucket {
  /** The start of the bucket, in epoch microseconds. */
  readonly at: number;
  /** The number of points. */
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/** The points of one bucket that have a text. */
export interface TextBucket {
  /** The start of the bucket, in epoch microseconds. */
  readonly at: number;
  /** The number of points. */
  readonly count: number;
  /** The number of different texts. */
  readonly distinct: number;
  readonly first: string;
  readonly last: string;
}

/** A statement that reads points, in the language of a store, for people to copy. */
export interface PointQuery {
  readonly language: 'sql' | 'influxql';
  /** The database or bucket that the statement is for. */
  readonly database: string;
  readonly text: string;
}

/** The points of one series to remove: all points in the ranges. */
export interface Removal {
  readonly series: Series;
  /** Ascending and disjoint ranges. */
  readonly ranges: readonly Range[];
}

/** A store of points. */
export interface PointStore {
  /** The name of the kind of the store. */
  readonly kind: string;
  /**
   * The identity of the destination in the ledger: kind, host, database or bucket, measurement or schema. No
   * secret.
   */
  readonly id: string;
  /**
   * Checks that the destination can be used, and makes what may be made. Resolves to true if the destination
   * was made, so that it is empty. Throws a `StoreError` with the remedy.
   */
  prepare(): Promise<boolean>;
  /**
   * Writes all points. Resolves only after the store has acknowledged them. `commit` records the coverage:
   * Postgres calls it inside the transaction of the rows, InfluxDB after the awaited write. A write may be
   * repeated without harm.
   */
  write(batch: PointBatch, commit: Commit): Promise<WriteResult>;
  /**
   * Writes polled values (one instant each) to the measurement or table of polls.
   *
   * `commit` does the work that belongs to them, such as the outbox of another store. Postgres calls it
   * inside the transaction of the rows, others after the awaited write.
   *
   * Postgres keeps only those `repeats` that differ from its newest value. The newest value is updated in any
   * case.
   */
  writePolls(
    points: readonly SeriesPoints[],
    commit?: CommitPolls,
    repeats?: readonly SeriesPoints[],
  ): Promise<WriteResult>;
  /**
   * Returns the points as the store has them once they are written: without points that have no place in it.
   */
  held(stream: string, points: SeriesPoints): Promise<SeriesPoints>;
  /**
   * Reads points in parts of bounded size. The points of one series ascend in time over all its parts. A
   * series without points may be left out. Throws a `StoreError` if the store cannot be read, also after some
   * parts.
   */
  read(stretch: Stretch): AsyncIterable<SeriesPoints>;
  /**
   * Reads one page of the points of one series, in the order asked for. Throws a `StoreError` if the store
   * cannot be read.
   */
  readPage(page: PointPage): Promise<SeriesPoints>;
  /**
   * Reduces the numbers of one series to buckets, ascending in time. Buckets without numbers are left out.
   * Throws a `StoreError` if the store cannot be read, or takes too long.
   */
  reduceNumbers(reduction: Reduction): Promise<readonly NumberBucket[]>;
  /** Reduces the texts of one series, as `reduceNumbers` does with numbers. */
  reduceTexts(reduction: Reduction): Promise<readonly TextBucket[]>;
  /** Writes the statement that reads these points. Absent in a store that has no such language. */
  describeRead?(stretch: Stretch): PointQuery;
  /**
   * Returns the stored points of a batch with a field that the new point does not have, such as a former
   * text. The field would stay, so these points must be removed before the batch is written. All other points
   * in these ranges are in the batch. Absent in a store where a write replaces the whole point.
   */
  surplus?(batch: PointBatch): Promise<readonly Removal[]>;
  /**
   * Removes points. Absent in a store that cannot. `uncover` is awaited before anything is removed: it
   * removes the coverage of the range, until the range is written again. Throws a `StoreError`; with the
   * action `skip` the points must stay, and nothing has changed.
   */
  remove?(stream: string, removals: readonly Removal[], uncover: () => Promise<void>): Promise<void>;
  /**
   * Returns how long the store keeps points, once `prepare` has run. Returns undefined if it keeps them for
   * ever. Older points are not offered to the store.
   */
  retentionMs?(): number | undefined;
  /** The store for the events of alarms, if this store takes them. */
  readonly events?: EventStore;
  close(): Promise<void>;
}
