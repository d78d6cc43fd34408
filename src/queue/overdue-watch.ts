import { type EngineJob, firstDue } from './engine.ts';
import { nextRun, periodOf } from './next-run.ts';

export type WatchedJob = Pick<EngineJob, 'name' | 'schedule' | 'needs' | 'waits'>;

/** The newest run of a job, as the ledger has it. */
export interface LastBegin {
  readonly id: number;
  /** Time since it began, by the clock that dated it. */
  readonly ageMs: number;
  readonly isRunning: boolean;
}

/** What was seen at one look. */
export interface Seen {
  /** By the names of the jobs; one that never began is not there. */
  readonly begins: ReadonlyMap<string, LastBegin>;
  /** Jobs that may not begin: they are paused, or what they need was never done. */
  readonly resting: ReadonlySet<string>;
}

/** What is due and does not run. */
export interface Waiting {
  readonly job: string;
  /** Since when it is due, epoch milliseconds. */
  readonly dueMs: number;
  readonly overdueSec: number;
  /** Whether that is too long. */
  readonly isOverdue: boolean;
}

export interface WatchClocks {
  readonly timezone: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly steadyMs: () => number;
}

/** A job is overdue when so many of its periods have passed since it was due, and so much time at least. */
const PERIODS = 2;
const LEAST_OVERDUE_MS = 120_000;
/** A look so long after the one before says nothing of the time between: this process stood still, or could not look. */
const LONGEST_GAP_MS = 15_000;

/**
 * Watches from outside whether jobs begin. It counts the time since it saw the newest run of each, by a clock that nobody sets: so it
 * shares neither the clock nor the memory of the engine that it watches.
 */
export class OverdueWatch {
  readonly #jobs: readonly WatchedJob[];
  readonly #clocks: WatchClocks;
  readonly #states = new Map<string, { id: number | undefined; waitedMs: number }>();
  #lookedMs: number | undefined;
  #watchedMs = 0;

  constructor(jobs: readonly WatchedJob[], clocks: WatchClocks) {
    this.#jobs = jobs;
    this.#clocks = clocks;
  }

  look({ begins, resting }: Seen): void {
    const nowMs = this.#clocks.steadyMs();
    const gapMs = Math.min(nowMs - (this.#lookedMs ?? nowMs), LONGEST_GAP_MS);
    this.#lookedMs = nowMs;
    this.#watchedMs += gapMs;
    for (const { name } of this.#jobs) {
      const begin = begins.get(name);
      const state = this.#states.get(name);
      const isMoving = begin?.isRunning || resting.has(name);
      // Before the first look only the ledger can tell, and a time in its future tells nothing.
      const firstMs = Math.max(0, begin?.ageMs ?? 0);
      const waitedMs = state === undefined ? firstMs : begin?.id === state.id ? state.waitedMs + gapMs : 0;
      this.#states.set(name, { id: begin?.id, waitedMs: isMoving ? 0 : waitedMs });
    }
  }

  /** What should have begun and has not, as of the last look. */
  report(): Waiting[] {
    return this.#jobs.flatMap((job) => {
      const state = this.#states.get(job.name);
      const waiting = state && this.#describe(job, state);
      return waiting === undefined || waiting.overdueSec <= 0 ? [] : [waiting];
    });
  }

  #describe(job: WatchedJob, { id, waitedMs }: { id: number | undefined; waitedMs: number }): Waiting {
    const { timezone, clock } = this.#clocks;
    const nowMs = clock();
    const sinceMs = nowMs - waitedMs;
    const dueMs =
      id === undefined
        ? firstDue(job, this.#jobs, { nowMs: sinceMs, timezone, lastMs: undefined })
        : nextRun(job.schedule, { afterMs: sinceMs, timezone });
    const boundMs = Math.max(LEAST_OVERDUE_MS, PERIODS * periodOf(job.schedule, { nowMs: dueMs, timezone }));
    const overdueMs = nowMs - dueMs;
    // What was missed while nothing ran begins at the start of the service, given a moment.
    const isOverdue = overdueMs > boundMs && this.#watchedMs > LEAST_OVERDUE_MS;
    return { job: job.name, dueMs, overdueSec: Math.round(overdueMs / 1000), isOverdue };
  }
}
