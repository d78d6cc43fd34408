import { EVERYTHING } from '../src/ledger/control.ts';
import type { EngineJob } from '../src/queue/engine.ts';
import type { SyncContext } from '../src/sync/context.ts';
import type { RunSummary } from '../src/sync/run-summary.ts';

/**
 * Work that the service does by itself. The name of the job is also the name of a lock, which keeps two
 * processes from running it at once.
 */
export interface Job extends Omit<EngineJob, 'run'> {
  /** Stream and kind of the job's runs in the ledger. They tell when the job was last done. */
  readonly recorded: { readonly stream: string; readonly kind: string };
  /** Whether the job also runs while Postgres is away, without the lock. */
  readonly outlastsLedger?: boolean;
  /**
   * Runs the job once. Returns several summaries if the job serves several streams; the first belongs to
   * `recorded`.
   */
  run(ctx: SyncContext): Promise<RunSummary | RunSummary[]>;
}

/** Tells whether a user who names a target means this job. A target is a job, a stream, or everything. */
export function isTarget({ name, recorded }: Job, target: string): boolean {
  return target === name || target === recorded.stream || target === EVERYTHING;
}
