import type { ErrorCode } from '../errors.ts';
import type { UnreadSeries } from './unread-series.ts';

/** The result of one run of one stream: a row of the closing summary and of `plantsync.runs`. */
export interface RunSummary {
  /** Name of the stream: `persons`, `objects`, …, `history`, `current`. */
  stream: string;
  /** Kind of the run: `scan`, `increment …`, `poll …` and others. Missing until the run is recorded. */
  kind?: string;
  status: 'done' | 'partial' | 'failed';
  /** Raw records, or points of history, that came from the platform. */
  records: number;
  /** Rows of Postgres tables that were inserted, updated, or found unchanged. */
  inserted: number;
  updated: number;
  unchanged: number;
  /** Rows that had been deleted and came back (`updated` counts them, too), and rows that were deleted. */
  restored: number;
  deleted: number;
  /** Rows of the tables of parts (labels, roles, …) that were inserted, updated or deleted. */
  partRows: number;
  /** Points that stores acknowledged, by kind of store. */
  points: Record<string, number>;
  rejects: number;
  requests: number;
  seconds: number;
  /** Polls that were due before this one and did not run, because an earlier poll took too long. */
  skippedPolls?: number;
  /** Whether the run also read the newest data again, because points may come late. Not every run does so. */
  lookedBack?: boolean;
  /** What a verification found to differ, if it did. */
  differences?: readonly SeriesDifference[];
  /** What a comparison with the platform found. Absent in other runs. */
  verified?: Verified;
  /** One sentence for each thing that is missing, with the reason. Empty exactly if `status` is `done`. */
  problems: string[];
  /** Series whose history could not be read, by reason. `problems` has the same in sentences. */
  unread?: readonly UnreadSeries[];
  /** Those of `problems` that an earlier run has told: series that are still set aside. */
  told?: readonly string[];
  /** Code of the error that ended the run, if one did. */
  code?: ErrorCode;
  /** One sentence for each fact that is good to know and no failure. */
  notes: string[];
}

/** The differences between the platform and one store, for one series: numbers of points by kind. */
export interface SeriesDifference {
  readonly store: string;
  readonly stream: string;
  readonly seriesId: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  readonly isRepaired: boolean;
}

/** The range that was compared with the platform (epoch microseconds), and the differences of each store. */
export interface Verified {
  readonly from: number;
  readonly to: number;
  /** Whether everything that the configuration selects was compared, and not only some series. */
  readonly isWhole: boolean;
  /** By identity of the store. */
  readonly stores: Readonly<Record<string, VerifiedStore>>;
}

/** Points that one store had otherwise than the platform. */
export interface VerifiedStore {
  readonly kind: string;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Series with a difference. */
  readonly series: number;
  /** Whether the differences were repaired. */
  readonly isRepaired: boolean;
}

/** Adds points that a store has acknowledged to a summary. */
export function addPoints({ points }: RunSummary, { kind }: { kind: string }, written: number): void {
  points[kind] = (points[kind] ?? 0) + written;
}

/** Returns the summary of a run that has done nothing yet. */
export function emptySummary(stream: string): RunSummary {
  return {
    stream,
    status: 'done',
    records: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    restored: 0,
    deleted: 0,
    partRows: 0,
    points: {},
    rejects: 0,
    requests: 0,
    seconds: 0,
    problems: [],
    notes: [],
  };
}
