/** Reports how far long work has come. `total` is an estimate that may change. */
export interface Progress {
  start(name: string, total: number | undefined, unit: string): ProgressLine;
  /**
   * Is told how much all lines of a run together have to do since `done` was done. That is what is done now,
   * if not given.
   */
  plan?(rest: number, done?: number): void;
}

export interface ProgressLine {
  add(amount: number): void;
  /**
   * Counts results of the work in their own unit (`points`). Their rate says more than the rate of the work.
   */
  bring(count: number, unit: string): void;
  setTotal(total: number): void;
  finish(note?: string): void;
}
