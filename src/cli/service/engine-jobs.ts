import { isTarget, type Job } from '../../../jobs/job.ts';
import { PlantsyncError } from '../../errors.ts';
import { lockOfJob } from '../../ledger/leases/leases.ts';
import type { HeldLock, TakenLock } from '../../ledger/leases/lock-keeper.ts';
import { withFence } from '../../postgres/fence.ts';
import type { EngineJob, EngineOptions } from '../../queue/engine.ts';
import type { Piece } from '../../sync/backfill/cut-pieces.ts';
import { fillPiece } from '../../sync/backfill/fill-by-pieces.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import { tryLedger } from '../../sync/try-ledger.ts';

/** The number of problems of one run that are logged. The ledger keeps all. */
const PROBLEMS_SHOWN = 3;

export interface ServiceOptions {
  readonly jobs: readonly Job[];
  /** Is told about every run that was not skipped. */
  readonly onRun?: ((summary: RunSummary) => void) | undefined;
}

/**
 * Returns the options of an engine: the jobs of the service, and when each was last done according to the
 * ledger.
 */
export function engineOptions(ctx: SyncContext, { jobs, onRun }: ServiceOptions): EngineOptions {
  const toEngineJob = (job: Job): EngineJob => ({
    ...job,
    async run(signal) {
      if (await isPaused(ctx, job)) return 'paused';
      const outcome = await runLocked(ctx, job, () => job.run({ ...ctx, signal }));
      if (!outcome.ran) {
        ctx.log.info(
          { job: job.name, holder: outcome.holder },
          'the job is skipped: another process is running it',
        );
        return 'busy';
      }
      const summaries = [outcome.result].flat();
      for (const summary of summaries) onRun?.(summary);
      for (const summary of summaries) reportRun(ctx, job, summary);
      return 'done';
    },
  });
  return {
    jobs: jobs.map(toEngineJob),
    timezone: ctx.config.schedule.timezone,
    log: ctx.log,
    readLastSuccesses: () => readLastSuccesses(ctx, jobs),
    runPiece: (piece, signal) => fillPiece({ ...ctx, signal }, piece as Piece),
    signal: ctx.signal,
    shutdownTimeoutMs: ctx.config.limits.shutdownTimeoutMs,
  };
}

/**
 * Tells whether a job is paused. While Postgres is away nobody can tell, and jobs that go on without Postgres
 * go on.
 */
async function isPaused(ctx: SyncContext, job: Job): Promise<boolean> {
  const read = () => ctx.ledger.control.readPauses();
  const pauses = job.outlastsLedger ? await tryLedger(ctx, read) : await read();
  return pauses?.some(({ target }) => isTarget(job, target)) ?? false;
}

async function readLastSuccesses(
  { ledger }: Pick<SyncContext, 'ledger'>,
  jobs: readonly Job[],
): Promise<Map<string, number>> {
  const successes = await ledger.runs.readLastSuccesses();
  return new Map(
    jobs.flatMap(({ name, recorded }) => {
      const last = successes.find(({ stream, kind }) => stream === recorded.stream && kind === recorded.kind);
      return last === undefined ? [] : [[name, last.begunAt / 1000] as const];
    }),
  );
}

type Outcome<T> =
  | { readonly ran: true; readonly result: T }
  | { readonly ran: false; readonly holder: string | undefined };

/** Does the work of a job while no other process does. The lease of the process fences the work. */
async function runLocked<T>(ctx: SyncContext, job: Job, work: () => Promise<T>): Promise<Outcome<T>> {
  const lock = await takeLock(ctx, job);
  if (lock === undefined) return { ran: true, result: await work() };
  if (!lock.isHeld) return { ran: false, holder: lock.holder };
  try {
    return { ran: true, result: await withFence(lock.lease, work) };
  } finally {
    await release(ctx, job, lock);
  }
}

/**
 * Takes the lock of a job. The lock only saves work, so a job that goes on while Postgres is away runs
 * without it.
 */
async function takeLock(ctx: SyncContext, job: Job): Promise<HeldLock | TakenLock | undefined> {
  const take = () => ctx.ledger.leases.tryLock(lockOfJob(job.name));
  if (!job.outlastsLedger) return take();
  return tryLedger(ctx, take, (late) => late.isHeld && late.release());
}

/** Releases the lock. It is free in this process at once. A Postgres that is away is told later. */
async function release(ctx: SyncContext, job: Job, lock: HeldLock): Promise<void> {
  const givenBack = lock.release();
  await (job.outlastsLedger ? tryLedger(ctx, () => givenBack) : givenBack);
}

/** Logs the result of a run. Throws a `PlantsyncError` if the run failed, so that it is tried again. */
function reportRun(ctx: SyncContext, job: Job, summary: RunSummary): void {
  const { stream, status, problems, told = [], code = 'internal.unexpected' } = summary;
  if (status === 'failed')
    throw new PlantsyncError(code, describeProblems(stream, problems), { action: 'retry' });
  const { records, points, seconds } = summary;
  const facts = { job: job.name, records, points, seconds };
  // What was told when it began is told once, and the ledger has it in each run.
  const news = problems.filter((problem) => !told.includes(problem));
  if (status === 'partial' && news.length === 0) ctx.log.debug(facts, describeProblems(stream, problems));
  else if (status === 'partial') ctx.log.warn(facts, describeProblems(stream, news));
  else ctx.log[isFrequent(job) ? 'debug' : 'info'](facts, `${stream} is up to date`);
}

/** Runs every few seconds are not worth a log entry. */
function isFrequent({ schedule }: Job): boolean {
  return 'everyMs' in schedule && schedule.everyMs < 60_000;
}

function describeProblems(stream: string, problems: readonly string[]): string {
  const more = problems.length > PROBLEMS_SHOWN ? ` (and ${problems.length - PROBLEMS_SHOWN} more)` : '';
  return `${stream}: ${problems.slice(0, PROBLEMS_SHOWN).join('; ')}${more}`;
}
