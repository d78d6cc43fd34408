/** What one run of one stream did; the rows of the closing summary and of `plantsync.runs`. */
export interface RunSummary {
  /** `persons`, `objects`, …, `history`, `current`. */
  stream: string;
  status: 'done' | 'partial' | 'failed';
  /** Raw records (or history rows) received from the platform. */
  records: number;
  /** Rows of Postgres tables. */
  inserted: number;
  updated: number;
  unchanged: number;
  /** Rows that had been deleted and are back, counted among the updated; and rows that were deleted. */
  restored: number;
  deleted: number;
  /** Rows of the tables of parts (labels, roles, …) that were inserted, updated or deleted. */
  partRows: number;
  /** Points acknowledged, by store kind. */
  points: Record<string, number>;
  rejects: number;
  requests: number;
  seconds: number;
  /** Polls that were due before this one and left out, because the one before took too long. */
  skippedPolls?: number;
  /** Whether it read what may have come late again, which is not done at every turn. */
  lookedBack?: boolean;
  /** One sentence each: what is missing and why. Empty exactly if `status` is `done`. */
  problems: string[];
  /** One sentence each: what is good to know and no failure. */
  notes: string[];
}

/** Adds points that a store has acknowledged. */
export function addPoints({ points }: RunSummary, { kind }: { kind: string }, written: number): void {
  points[kind] = (points[kind] ?? 0) + written;
}

/** A summary with nothing in it yet. */
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
