/** Reports how far long work is; `total` is an estimate that may change. */
export interface Progress {
  start(name: string, total: number | undefined, unit: string): ProgressLine;
}

export interface ProgressLine {
  add(amount: number): void;
  /** Notes what the work brings, in a unit of its own (`points`), whose rate says more than that of the work. */
  bring(count: number, unit: string): void;
  setTotal(total: number): void;
  finish(note?: string): void;
}
