import type { Job } from '../../jobs/job.ts';
import { messageOf, PlantsyncError, StoreError } from '../errors.ts';
import { type TryLockResult, withTryLock } from '../postgres/locks.ts';
import { type InlineJob, runInline } from '../queue/inline.ts';
import { sleepUntilAborted } from '../queue/sleep.ts';
import type { SyncContext } from '../sync/context.ts';
import type { RunSummary } from '../sync/summary.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Problems of one run that are logged; the ledger keeps all. */
const problemsShown = 3;

export interface ServiceOptions {
  readonly jobs: readonly Job[];
  /** Told about every run that was not skipped. */
  readonly onRun?: (summary: RunSummary) => void;
}

/** Runs the jobs in this process until the context's signal ends it. */
export async function runService(ctx: SyncContext, { jobs, onRun }: ServiceOptions): Promise<void> {
  const successes = await ctx.ledger.runs.readLastSuccesses();
  const needed = new Set(jobs.flatMap((job) => job.needs));
  const toInline = (job: Job): InlineJob => ({
    name: job.name,
    schedule: job.schedule,
    needs: job.needs,
    lastMs:
      lastMsOf(successes.get(`${job.recorded.stream} ${job.recorded.kind}`)) ??
      (job.waits ? Date.now() : undefined),
    atOnce: needed.has(job.name),
    async run(signal) {
      const outcome = await runLocked(ctx, job, () => job.run({ ...ctx, signal }));
      if (!outcome.ran) return ctx.log.info({ job: job.name }, 'skipped: another process is doing it');
      const summaries = [outcome.result].flat();
      for (const summary of summaries) onRun?.(summary);
      for (const summary of summaries) reportRun(ctx, job, summary);
    },
  });
  await runInline({
    jobs: jobs.map(toInline),
    timezone: ctx.config.schedule.timezone,
    log: ctx.log,
    clock: Date.now,
    sleep: sleepUntilAborted,
    signal: ctx.signal,
    shutdownTimeoutMs: ctx.config.limits.shutdownTimeoutMs,
  });
}

/** The lock spares work and is needed for nothing, so a job that goes on while Postgres is away does without it then. */
async function runLocked<T>(ctx: SyncContext, job: Job, work: () => Promise<T>): Promise<TryLockResult<T>> {
  if (!job.outlastsLedger) return withTryLock(ctx.db, `job ${job.name}`, work);
  if (ctx.polls.isAway) return { ran: true, result: await work() };
  let begun: Promise<T> | undefined;
  try {
    return await withTryLock(ctx.db, `job ${job.name}`, () => (begun = work()));
  } catch (error) {
    if (!(error instanceof StoreError) || error.action !== 'retry') throw error;
    return { ran: true, result: await (begun ?? work()) };
  }
}

function lastMsOf(micros: number | undefined): number | undefined {
  return micros === undefined ? undefined : micros / 1000;
}

/** Throws if the run failed, so that it is tried again; says in the log what is missing otherwise. */
function reportRun(ctx: SyncContext, job: Job, summary: RunSummary): void {
  const { stream, status, problems, records, points, seconds } = summary;
  if (status === 'failed') throw new PlantsyncError(describeProblems(stream, problems), 'retry');
  const facts = { job: job.name, records, points, seconds };
  if (status === 'partial') ctx.log.warn(facts, describeProblems(stream, problems));
  else ctx.log[isFrequent(job) ? 'debug' : 'info'](facts, `${stream} is up to date`);
}

/** Runs every few seconds are no news. */
function isFrequent({ schedule }: Job): boolean {
  return 'everyMs' in schedule && schedule.everyMs < 60_000;
}

function describeProblems(stream: string, problems: readonly string[]): string {
  const more = problems.length > problemsShown ? ` (and ${problems.length - problemsShown} more)` : '';
  return `${stream}: ${problems.slice(0, problemsShown).join('; ')}${more}`;
}

/** Opens something, and waits and tries again while it cannot be reached. Undefined if the signal came first. */
export async function openPatiently<T>(
  open: () => Promise<T>,
  { log, signal }: Pick<SyncContext, 'log' | 'signal'>,
): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PlantsyncError) || error.action !== 'retry') throw error;
      log.error(`cannot start yet: ${messageOf(error)}; trying again in ${waitMs / 1000} s`);
      await sleepUntilAborted(waitMs, signal);
    }
  }
  return undefined;
}
