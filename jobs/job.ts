import { EVERYTHING } from '../src/ledger/control.ts';
import type { EngineJob } from '../src/queue/engine.ts';
import type { SyncContext } from '../src/sync/context.ts';
import type { RunSummary } from '../src/sync/run-summary.ts';

/** A story that is run by itself. Its name is also that of the lock that keeps two processes from doing it at once. */
export interface Job extends Omit<EngineJob, 'run'> {
  /** Stream and kind of its runs in the ledger, which tell when it was done last. */
  readonly recorded: { readonly stream: string; readonly kind: string };
  /** Whether it is done also while Postgres is away, without the lock. */
  readonly outlastsLedger?: boolean;
  /** Several summaries where it serves several streams; the first is the one that it is recorded by. */
  run(ctx: SyncContext): Promise<RunSummary | RunSummary[]>;
}

/** Whether a name that people give means this job: its own, its stream's, or everything. */
export function isTarget({ name, recorded }: Job, target: string): boolean {
  return target === name || target === recorded.stream || target === EVERYTHING;
}
