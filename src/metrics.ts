/** What one run has done so far; it may grow while the run lasts. */
export interface RunCounts {
  readonly stream: string;
  readonly records: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly partRows: number;
  readonly rejects: number;
  readonly skippedPolls?: number;
}

/** A run under way. */
export interface RunMeter {
  /** `status` is that of the ledger; `ranSeconds` from begin to end. */
  end(status: string, ranSeconds: number): void;
}

/**
 * What the parts of the program tell of their work, for whoever counts it. It is passed in, and knows nothing of the way in which the
 * counts are shown. Names of objects and persons must not be in it: each would become a series of numbers that is kept for months.
 */
export interface Metrics {
  /** One attempt to do one operation of the platform; `outcome` is `ok`, or why it failed. */
  countRequest(attempt: { operation: string; outcome: string; seconds: number }): void;
  /** An attempt that follows a failed one. */
  countRetry(operation: string): void;
  /** A call that failed for good; `kind` is that of the `PlatformError`. */
  countFailedCall(operation: string, kind: string): void;
  /** Points that a store has acknowledged; `store` is its kind. */
  countPoints(written: { stream: string; store: string; points: number }): void;
  /** Polled values that are lost. */
  countLostValues(values: number): void;
  /** Follows a run until its end: a long one shows while it lasts. */
  followRun(counts: RunCounts): RunMeter;
}

/** Counts nothing: for commands that end before anybody could ask. */
export const noMetrics: Metrics = {
  countRequest: () => undefined,
  countRetry: () => undefined,
  countFailedCall: () => undefined,
  countPoints: () => undefined,
  countLostValues: () => undefined,
  followRun: () => ({ end: () => undefined }),
};
