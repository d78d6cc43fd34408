import { type EngineJob, firstDue } from './engine.ts';
import { nextRun, periodOf } from './next-run.ts';

export type WatchedJob = Pick<EngineJob, 'name' | 'schedule' | 'needs' | 'waits'>;

/** The newest run of a job, as the ledger has it. */
export interface LastBegin {
  readonly id: number;
  /** Time since the run began, by the clock that dated its beginning. */
  readonly ageMs: number;
  readonly isRunning: boolean;
}

/** The state of all jobs at one look. */
export interface Seen {
  /** The newest run of each job by its name. A job that never began is not in the map. */
  readonly begins: ReadonlyMap<string, LastBegin>;
  /** Jobs that must not begin: they are paused, or a job that they need never succeeded. */
  readonly resting: ReadonlySet<string>;
}

/** A job that is due and does not run. */
export interface Waiting {
  readonly job: string;
  /** Since when the job is due, in epoch milliseconds. */
  readonly dueMs: number;
  readonly overdueSec: number;
  /** True if the job has waited too long. */
  readonly isOverdue: boolean;
}

export interface WatchClocks {
  readonly timezone: string;
  /** The wall clock, in epoch milliseconds. */
  readonly clock: () => number;
  /** A clock that nobody sets, in milliseconds. */
  readonly steadyMs: () => number;
}

/** A job is overdue after this many of its periods, and after the least time below. */
const PERIODS = 2;
const LEAST_OVERDUE_MS = 120_000;
/**
 * Time that counts at most between two looks. In a longer gap this process stood still, or could not look.
 */
const LONGEST_GAP_MS = 15_000;

/**
 * Watches from outside whether jobs begin. For each job it counts the time since it saw the newest run, by a
 * clock that nobody sets. So it shares neither the clock nor the memory of the engine that it watches.
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
      // Before the first look only the ledger can tell. A time in the future of the ledger tells nothing.
      const firstMs = Math.max(0, begin?.ageMs ?? 0);
      const waitedMs = state === undefined ? firstMs : begin?.id === state.id ? state.waitedMs + gapMs : 0;
      this.#states.set(name, { id: begin?.id, waitedMs: isMoving ? 0 : waitedMs });
    }
  }

  /** Returns the jobs that should have begun and did not, as of the last look. */
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
    // Runs that were missed while nothing ran begin at the start of the service, which gets a moment for
    // them.
    const isOverdue = overdueMs > boundMs && this.#watchedMs > LEAST_OVERDUE_MS;
    return { job: job.name, dueMs, overdueSec: Math.round(overdueMs / 1000), isOverdue };
  }
}
