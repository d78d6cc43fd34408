/** The counts of one run. They grow while the run lasts. */
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

/** Measures a run that is under way. */
export interface RunMeter {
  /**
   * Ends the measurement. `status` is the status of the run in the ledger. `ranSeconds` is how long the run
   * took.
   */
  end(status: string, ranSeconds: number): void;
}

/**
 * Counts the work of the program. The parts that count do not know how the counts are shown. A count must not
 * name objects or persons: each name would become a time series that is kept for months.
 */
export interface Metrics {
  /** Counts one attempt at one operation of the platform. `outcome` is `ok`, or why the attempt failed. */
  countRequest(attempt: { operation: string; outcome: string; seconds: number }): void;
  /** Counts an attempt that follows a failed one. */
  countRetry(operation: string): void;
  /** Counts a call that failed for good. `kind` is the kind of its `PlatformError`. */
  countFailedCall(operation: string, kind: string): void;
  /** Counts points that a store has acknowledged. `store` is the kind of the store. */
  countPoints(written: { stream: string; store: string; points: number }): void;
  /** Counts one write to a store. `failure` is the code of its error. `refused` are points. */
  countWrite(write: {
    stream: string;
    store: string;
    seconds: number;
    failure: string | undefined;
    refused: number;
  }): void;
  /** Counts one call of a webhook, by its name, or of the heartbeat. */
  countNotice(receiver: string, outcome: 'ok' | 'failed'): void;
  /** Counts polled values that are lost. */
  countLostValues(values: number): void;
  /** Follows a run until its end, so that the counts of a long run show while it lasts. */
  followRun(counts: RunCounts): RunMeter;
}

/** Counts nothing. It serves commands that end before anybody could ask for counts. */
export const noMetrics: Metrics = {
  countRequest: () => undefined,
  countRetry: () => undefined,
  countFailedCall: () => undefined,
  countPoints: () => undefined,
  countWrite: () => undefined,
  countNotice: () => undefined,
  countLostValues: () => undefined,
  followRun: () => ({ end: () => undefined }),
};
