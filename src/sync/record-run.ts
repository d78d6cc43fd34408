import { codeOf, describeError, InterruptedError, reasonOf, withCode } from '../errors.ts';
import { countRequests } from '../extract/count-requests.ts';
import type { RunEnd } from '../ledger/runs.ts';
import { withFence } from '../postgres/fence.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from './context.ts';
import { plural } from './count-text.ts';
import { ProgressMeter } from './progress-meter.ts';
import { emptySummary, type RunSummary } from './run-summary.ts';
import { tryLedger } from './try-ledger.ts';

/** Period of the notes to the ledger, which also tell whether the run is cancelled. */
const LOOK_MS = 2_000;
/** Problems, and notes, that a summary holds. The log gets the others. */
const MAX_PROBLEMS = 20;

export interface RunToRecord {
  readonly stream: string;
  readonly kind: string;
  /** Whether the run also takes place while Postgres is away, unknown to the ledger. */
  readonly outlastsLedger?: boolean;
  /**
   * What somebody asked for. Long runs that somebody asked for tell the ledger how far they are, and can be
   * cancelled.
   */
  readonly asked?: object | undefined;
}

type RunWork = (summary: RunSummary, ctx: SyncContext) => Promise<void>;

/**
 * Runs the work of one stream and records the run in the ledger.
 *
 * 1. The work gets its own context, which counts requests. Its signal also aborts if the run is cancelled.
 * 2. The ledger records the begin of the run. From then on the run can be cancelled.
 * 3. The work runs under the lease of this process, unless the run outlasts the ledger. Once the lease has
 *    ended, the work writes nothing more.
 * 4. Too many rejects become a problem. A run with problems is `partial`.
 * 5. A run whose work throws is `failed`, so that other streams go on.
 * 6. The log gets the problems and notes that the summary has no room for.
 * 7. The ledger records the end of the run and its summary.
 *
 * Throws InterruptedError if the run was interrupted or cancelled. No other failure is thrown.
 */
export function recordRun(ctx: SyncContext, run: RunToRecord, work: RunWork): Promise<RunSummary> {
  const { stream, kind } = run;
  return ctx.tracing.span({ name: `run ${stream}`, facts: { stream, kind } }, async (span) => {
    const summary = await recordOnly(ctx, run, work);
    const { status, records, rejects, requests, code } = summary;
    span.note({ status, records, rejects, requests });
    if (code !== undefined) span.fail(code);
    return summary;
  });
}

/** Does what `recordRun` does, without a span. */
async function recordOnly(ctx: SyncContext, run: RunToRecord, work: RunWork): Promise<RunSummary> {
  const cancelling = new AbortController();
  const progress = run.asked && new ProgressMeter(ctx.progress, steadyMs);
  const summary: RunSummary = { ...emptySummary(run.stream), kind: run.kind };
  const running: SyncContext = {
    ...ctx,
    platform: countRequests(ctx.platform, () => {
      summary.requests += 1;
    }),
    ...(progress && { progress, signal: AbortSignal.any([ctx.signal, cancelling.signal]) }),
  };
  const startedMs = steadyMs();
  const meter = ctx.metrics.followRun(summary);
  let id: number | undefined;
  const timers: NodeJS.Timeout[] = [];
  try {
    const lead = async () => {
      id = await startRun(ctx, run);
      if (id !== undefined && progress) timers.push(tellProgress(ctx, { id, progress, cancelling }));
      await work(summary, running);
    };
    await (run.outlastsLedger ? lead() : ctx.ledger.leases.work(lead));
    noteRejects(ctx, summary);
    if (summary.problems.length > 0) summary.status = 'partial';
  } catch (error) {
    summary.status = 'failed';
    summary.code = codeOf(error);
    summary.problems.push(describeError(error));
    ctx.log.debug({ stream: run.stream, err: error }, 'the run failed');
  } finally {
    for (const timer of timers) clearInterval(timer);
  }
  shorten(ctx, summary);
  // No clock is better than a millisecond, and a log with more digits is hard to read.
  summary.seconds = Math.round(steadyMs() - startedMs) / 1000;
  const status = running.signal.aborted ? 'interrupted' : summary.status;
  meter.end(status, summary.seconds);
  await finishRun(ctx, run, { runId: id, status, summary, progress: progress?.read() });
  if (running.signal.aborted)
    throw new InterruptedError(
      ctx.signal.aborted ? 'interrupted.by_signal' : 'interrupted.cancelled',
      `${run.stream} was ${ctx.signal.aborted ? 'interrupted' : 'cancelled'}; run the same command to go on`,
    );
  return summary;
}

/**
 * Records the begin of the run. Returns the number of the run. Returns undefined if the run goes on without
 * the ledger.
 */
async function startRun(ctx: SyncContext, run: RunToRecord): Promise<number | undefined> {
  const start = () => ctx.ledger.runs.start(run);
  if (!run.outlastsLedger) return start();
  return tryLedger(ctx, start, (late) =>
    ctx.ledger.runs.finish(late, {
      status: 'interrupted',
      error: 'PostgreSQL recorded the begin of the run too late',
    }),
  );
}

interface Told {
  readonly id: number;
  readonly progress: ProgressMeter;
  /** Is aborted soon after somebody asked to cancel the run. */
  readonly cancelling: AbortController;
}

/** Tells the ledger now and then how far a run is. The ledger answers whether the run is cancelled. */
function tellProgress({ ledger, log }: SyncContext, { id, progress, cancelling }: Told): NodeJS.Timeout {
  return setInterval(() => {
    ledger.runs.noteProgress(id, progress.read()).then(
      (asked) => {
        if (asked) cancelling.abort(new InterruptedError('interrupted.cancelled', 'the run was cancelled'));
      },
      (error) => log.debug(reasonOf(error), 'the ledger did not say whether the run is cancelled'),
    );
  }, LOOK_MS);
}

/**
 * Adds a problem if a run has more rejects than `limits.maxRejects` allows. Rejects up to that number are
 * only kept and counted.
 */
function noteRejects(ctx: SyncContext, summary: RunSummary): void {
  const { maxRejects } = ctx.config.limits;
  if (summary.rejects <= maxRejects) return;
  const allowed = maxRejects > 0 ? `; limits.maxRejects allows ${maxRejects}` : '';
  summary.problems.push(
    withCode(
      'sync.too_many_rejects',
      `${plural(summary.rejects, 'entry', 'entries')} could not be used; plantsync.rejects holds each with its reason${allowed}`,
    ),
  );
}

/** Keeps the first problems and notes in the summary, and logs the others. */
function shorten(ctx: SyncContext, summary: RunSummary): void {
  for (const [what, sentences] of [
    ['more problem', summary.problems],
    ['more note', summary.notes],
  ] as const) {
    const rest = sentences.splice(MAX_PROBLEMS);
    for (const sentence of rest) ctx.log.warn({ stream: summary.stream }, sentence);
    if (rest.length > 0) sentences.push(`the log has ${plural(rest.length, what)}`);
  }
}

async function finishRun(
  ctx: SyncContext,
  run: RunToRecord,
  {
    runId,
    summary,
    ...end
  }: Pick<RunEnd, 'status' | 'progress'> & {
    runId: number | undefined;
    summary: RunSummary;
  },
): Promise<void> {
  if (runId === undefined) return;
  try {
    const whole = { ...end, summary, error: summary.problems[0] };
    // A run whose lease has ended is closed, too: the end of the run is no part of its work.
    const finish = () => withFence(undefined, () => ctx.ledger.runs.finish(runId, whole));
    await (run.outlastsLedger ? tryLedger(ctx, finish) : finish());
  } catch (error) {
    // The caller needs the outcome of the run itself. A run whose end is not recorded shows as lost in
    // `status`.
    ctx.log.warn({ stream: summary.stream, ...reasonOf(error) }, 'the end of the run could not be recorded');
  }
}
