import type { Schedule } from '../src/config/schedule.ts';
import { EVERYTHING } from '../src/ledger/control.ts';
import type { QueueName } from '../src/queue/engine.ts';
import type { SyncContext } from '../src/sync/context.ts';
import type { RunSummary } from '../src/sync/summary.ts';

/** What is run by itself, and when: a name and a schedule for a story. */
export interface Job {
  /** Also the name of the lock that keeps two processes from doing it at once. */
  readonly name: string;
  /** How soon it must be done, and beside how many others. */
  readonly queue: QueueName;
  readonly schedule: Schedule;
  /** Names of jobs that must have succeeded once before. */
  readonly needs: readonly string[];
  /** Stream and kind of its runs in the ledger, which tell when it was done last. */
  readonly recorded: { readonly stream: string; readonly kind: string };
  /** Whether it is done also while Postgres is away, without the lock. */
  readonly outlastsLedger?: boolean;
  /** Whether a job that was never done waits for its schedule, in place of beginning at once. */
  readonly waits?: boolean;
  /** Several summaries where it serves several streams; the first is the one that it is recorded by. */
  run(ctx: SyncContext): Promise<RunSummary | RunSummary[]>;
}

/** Whether a name that people give means this job: its own, its stream's, or everything. */
export function isTarget({ name, recorded }: Job, target: string): boolean {
  return target === name || target === recorded.stream || target === EVERYTHING;
}
