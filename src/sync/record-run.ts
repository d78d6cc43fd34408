import { InterruptedError, messageOf } from '../errors.ts';
import { countRequests } from '../extract/count-requests.ts';
import type { RunStatus } from '../ledger/runs.ts';
import { withFence } from '../postgres/fence.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from './context.ts';
import { emptySummary, type RunSummary } from './run-summary.ts';
import { tryLedger } from './try-ledger.ts';

/** Period of the looks whether a run was cancelled. */
const LOOK_MS = 2_000;
/** Problems that a summary tells one by one. */
const MAX_PROBLEMS = 20;

export interface RunToRecord {
  readonly stream: string;
  readonly kind: string;
  /** Whether it is done also while Postgres is away; the ledger then knows nothing of it. */
  readonly outlastsLedger?: boolean;
  /** Whether `plantsync cancel` ends it: a long one that somebody asked for. */
  readonly canBeCancelled?: boolean;
}

/**
 * Runs one story for one stream and keeps what became of it in the ledger. A failure ends as a summary with status
 * `failed`, so that other streams go on; only an interruption is thrown. The work gets a context of its own: its
 * requests are counted, and its signal also says that the run was cancelled. It writes nothing more once the lease of this process has ended.
 */
export async function recordRun(
  ctx: SyncContext,
  run: RunToRecord,
  work: (summary: RunSummary, ctx: SyncContext) => Promise<void>,
): Promise<RunSummary> {
  const cancelling = new AbortController();
  const summary = emptySummary(run.stream);
  const running: SyncContext = {
    ...ctx,
    platform: countRequests(ctx.platform, () => {
      summary.requests += 1;
    }),
    signal: run.canBeCancelled ? AbortSignal.any([ctx.signal, cancelling.signal]) : ctx.signal,
  };
  const startedMs = steadyMs();
  const meter = ctx.metrics.followRun(summary);
  let id: number | undefined;
  const timers: NodeJS.Timeout[] = [];
  try {
    const lead = async () => {
      id = await startRun(ctx, run);
      if (id !== undefined && run.canBeCancelled) timers.push(watchCancel(ctx, id, cancelling));
      await work(summary, running);
    };
    await (run.outlastsLedger ? lead() : ctx.ledger.leases.work(lead));
    noteRejects(ctx, summary);
    if (summary.problems.length > 0) summary.status = 'partial';
  } catch (error) {
    summary.status = 'failed';
    summary.problems.push(messageOf(error));
    ctx.log.debug({ stream: run.stream, err: error }, 'the run failed');
  } finally {
    for (const timer of timers) clearInterval(timer);
  }
  shorten(ctx, summary);
  summary.seconds = (steadyMs() - startedMs) / 1000;
  const status = running.signal.aborted ? 'interrupted' : summary.status;
  meter.end(status, summary.seconds);
  await finishRun(ctx, run, { runId: id, status, summary });
  if (running.signal.aborted)
    throw new InterruptedError(
      `${run.stream} was ${ctx.signal.aborted ? 'interrupted' : 'cancelled'}; run the same command to go on`,
    );
  return summary;
}

/** The number of the run; undefined where it goes on without the ledger. */
async function startRun(ctx: SyncContext, run: RunToRecord): Promise<number | undefined> {
  const start = () => ctx.ledger.runs.start(run);
  if (!run.outlastsLedger) return start();
  return tryLedger(ctx, start, (late) =>
    ctx.ledger.runs.finish(late, { status: 'interrupted', error: 'PostgreSQL noted its begin too late' }),
  );
}

/** Ends the run by `cancelling` soon after it was asked for. */
function watchCancel({ ledger, log }: SyncContext, id: number, cancelling: AbortController): NodeJS.Timeout {
  return setInterval(() => {
    ledger.runs.isCancelAsked(id).then(
      (asked) => {
        if (asked) cancelling.abort(new InterruptedError('it was cancelled'));
      },
      (error) => log.debug({ reason: messageOf(error) }, 'not known whether the run is cancelled'),
    );
  }, LOOK_MS);
}

/** Refused entries are kept, counted and shown; more than `limits.maxRejects` of them make the run partial. */
function noteRejects(ctx: SyncContext, summary: RunSummary): void {
  const { maxRejects } = ctx.config.limits;
  if (summary.rejects <= maxRejects) return;
  const allowed = maxRejects > 0 ? `; limits.maxRejects allows ${maxRejects}` : '';
  summary.problems.push(
    `${summary.rejects} entries could not be used; plantsync.rejects holds them with their reasons${allowed}`,
  );
}

/** Keeps the first problems and notes; the rest goes to the log. */
function shorten(ctx: SyncContext, summary: RunSummary): void {
  for (const [what, sentences] of [
    ['problems', summary.problems],
    ['notes', summary.notes],
  ] as const) {
    const rest = sentences.splice(MAX_PROBLEMS);
    for (const sentence of rest) ctx.log.warn({ stream: summary.stream }, sentence);
    if (rest.length > 0) sentences.push(`${rest.length} more ${what} are in the log`);
  }
}

async function finishRun(
  ctx: SyncContext,
  run: RunToRecord,
  { runId, status, summary }: { runId: number | undefined; status: RunStatus; summary: RunSummary },
): Promise<void> {
  if (runId === undefined) return;
  try {
    const end = { status, summary, error: summary.problems[0] };
    // Also of a run whose lease has ended: how it ended is no part of what it did.
    const finish = () => withFence(undefined, () => ctx.ledger.runs.finish(runId, end));
    await (run.outlastsLedger ? tryLedger(ctx, finish) : finish());
  } catch (error) {
    // The run's own outcome is what matters to the caller; a run that cannot be closed shows as lost in `status`.
    ctx.log.warn(
      { stream: summary.stream, reason: messageOf(error) },
      'the end of the run could not be recorded',
    );
  }
}
