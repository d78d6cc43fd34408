import type { Transaction } from '../../postgres/queryable.ts';
import type { Range, Series, SeriesPoints } from '../../series/types.ts';
import type { PlacedAlarmEvent } from '../../streams/alarm-row.ts';

/** Points of one window, complete for every series in it: what a store is asked to write. */
export interface PointBatch {
  /** Name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly range: Range;
  /** Every series of the window; one with no points in it has empty arrays. */
  readonly series: readonly SeriesPoints[];
  /** True when nothing of this range was stored before, so that a plain append is likely to succeed. */
  readonly fresh: boolean;
}

export interface WriteResult {
  /** Points written (inserted or replaced). */
  readonly written: number;
  /** Points that have no place in this store (null, NaN in InfluxDB). */
  readonly skipped: number;
  /** Points that the store refused for good. */
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

/** Notes that points are stored, and which of them were refused for good; with the transaction that holds them, if there is one. */
export type Commit = (tx: Transaction | undefined, refused: readonly RefusedPoints[]) => Promise<void>;

/** Does what belongs to polled values, given those that were kept of them. */
export type CommitPolls = (tx: Transaction | undefined, kept: readonly SeriesPoints[]) => Promise<void>;

/** Where the events of alarms go: one point for each, the same for the same event. */
export interface EventStore {
  /** Identity of the destination, other than that of the store's points. */
  readonly id: string;
  /** Writes events; resolves, after the store acknowledged them, to those that it refused for good. Times of refusals are the events'. */
  write(
    events: readonly PlacedAlarmEvent[],
  ): Promise<{ readonly written: number; readonly refused: readonly RefusedEvent[] }>;
}

/** Why a store refused an event for good. */
export interface RefusedEvent {
  readonly event: PlacedAlarmEvent;
  readonly reason: string;
}

/** Some series over a range of time, as they are stored. */
export interface Stretch {
  /** Name of the stream in the ledger, for example `history`. */
  readonly stream: string;
  readonly series: readonly Series[];
  readonly range: Range;
}

/** Points of one series that shall go: all that lie in the ranges. */
export interface Removal {
  readonly series: Series;
  /** Ascending, disjoint. */
  readonly ranges: readonly Range[];
}

/** A destination of points. */
export interface PointStore {
  readonly kind: 'postgres' | 'influx';
  /** Identity of the destination for the coverage ledger: kind, host, database or bucket, measurement or schema. No secret. */
  readonly id: string;
  /**
   * Checks that the destination can be used and makes what may be made; throws a `StoreError` with the remedy. Resolves to true if it
   * had to be made, so that nothing can be in it.
   */
  prepare(): Promise<boolean>;
  /**
   * Writes all points and resolves only after the store acknowledged them. `commit` records the coverage: Postgres calls it
   * inside the transaction of the rows, InfluxDB after the awaited write. It may be repeated without harm.
   */
  write(batch: PointBatch, commit: Commit): Promise<WriteResult>;
  /**
   * Writes polled values (one instant each) to the measurement or table of polls. `commit` is for what belongs to them, such
   * as the outbox of another store: Postgres calls it inside the transaction of the rows, others after the awaited write.
   * Of `repeats`, Postgres keeps only those that differ from the newest value it has, which follows in any case.
   */
  writePolls(
    points: readonly SeriesPoints[],
    commit?: CommitPolls,
    repeats?: readonly SeriesPoints[],
  ): Promise<WriteResult>;
  /** What the store has of these points of a stream once they are written: without those that have no place in it. */
  held(stream: string, points: SeriesPoints): SeriesPoints;
  /**
   * Reads points back, in parts of bounded size; those of one series ascend in time over all its parts. A series without points may be
   * left out. Throws a `StoreError` if the store cannot be read, also in the middle.
   */
  read(stretch: Stretch): AsyncIterable<SeriesPoints>;
  /**
   * Points of a batch that were stored before in another form, a text where a number is now, of which a field would stay beside the new
   * one: they must go before the batch is written. What else lies in these ranges is in the batch. Absent where a write replaces a point.
   */
  surplus?(batch: PointBatch): Promise<readonly Removal[]>;
  /**
   * Removes points; absent where the store cannot. `uncover` is awaited before anything goes: it forgets that the range is
   * stored, until that is written again. Throws a `StoreError`, of action `skip` where the points must stay; nothing has changed then.
   */
  remove?(stream: string, removals: readonly Removal[], uncover: () => Promise<void>): Promise<void>;
  /** How long the store keeps points, known after `prepare`; undefined when for ever. Older points are not offered. */
  retentionMs?(): number | undefined;
  /** The events of alarms beside its points, where the store takes them. */
  readonly events?: EventStore;
  close(): Promise<void>;
}
