import { parseRange, zoneOf } from '../../../config/time-text.ts';
import { ExitCode, InterruptedError, UsageError } from '../../../errors.ts';
import { withGiveUp } from '../../../postgres/give-up.ts';
import { HISTORY } from '../../../series/history-stream.ts';
import { formatInstant } from '../../../series/instant.ts';
import type { Range } from '../../../series/types.ts';
import { sleepOrWake } from '../../../sleep.ts';
import { type Fill, fillAlarmRange, refuseTooOld } from '../../../sync/backfill/fill-range.ts';
import type { SyncContext } from '../../../sync/context.ts';
import { estimateFill, type FillPlan } from '../../../sync/history/estimate-fill.ts';
import { fillHistory } from '../../../sync/history/fill-history.ts';
import { keepRollupsAfter } from '../../../sync/rollups/keep-rollups.ts';
import type { RunSummary } from '../../../sync/run-summary.ts';
import type { BackfillOrder } from '../../../sync/selection/fill-order.ts';
import { listNeededFirst } from '../../../sync/selection/needed-first.ts';
import { type CommonOptions, type Io, print, say } from '../../io.ts';
import { checkReachable } from '../../open/check-reachable.ts';
import { readDirectoryFirst } from '../../open/read-directory-first.ts';
import { type CommandContext, openContext, withSession } from '../../open/session.ts';
import { exitCodeOf } from '../../output/exit-code.ts';
import { renderSummary } from '../../output/summary-table.ts';
import { describeRange, formatRange } from '../../output/time.ts';
import { alarmOrderOf, checkAlarmOptions, showAlarmPlan } from './backfill-alarms.ts';
import { describePlan, planToJson, renderPlan } from './backfill-plan.ts';

export interface BackfillOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
  readonly alarms?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly onWorkers?: boolean;
}

/**
 * Runs `plantsync backfill`: fills a range of history. Stored points are not read again, so the command may
 * be repeated.
 */
export async function backfill(io: Io, options: BackfillOptions): Promise<number> {
  const { from, to } = options;
  if (options.onWorkers && options.alarms)
    throw new UsageError(
      'usage.conflicting_options',
      '--on-workers: the history of alarms is one stream, so one process reads it',
    );
  if (from === undefined)
    throw new UsageError('usage.missing_argument', '--from TIME is missing: where does the backfill begin?');
  if (options.alarms) checkAlarmOptions(options);
  return withSession(io, options, async (session) => {
    const dates = zoneOf(options.timezone, session.config);
    const range = parseRange({ from, to, zone: dates, now: Date.now() * 1000 });
    say(io, `backfill of ${formatRange(range, dates.name)}\n`);
    const ctx = await openContext(io, options, { ...session, readsOnly: options.dryRun });
    if (options.alarms) {
      const alarms = { range, force: options.force ?? false };
      if (options.dryRun) return showAlarmPlan(io, options, { ctx, backfill: alarms });
      await checkReachable(io, ctx);
      return showResult(io, options, {
        ctx,
        range,
        summaries: await fillAlarmRange(ctx, alarmOrderOf(alarms)),
      });
    }
    refuseTooOld(ctx, range);
    const order = orderOf(range, options);
    // Once the directory is known, a plan needs only the ledger. Every other command first checks that the
    // platform answers.
    const needed = await listNeededFirst(ctx, [HISTORY]);
    if (!options.dryRun || needed.streams.length > 0) await checkReachable(io, ctx);
    const directory = await readDirectoryFirst(io, ctx, { needed });
    if (options.dryRun) {
      ctx.progress.close();
      return showPlan(io, options, { plan: await estimateFill(ctx, order), directory });
    }
    const fill = options.onWorkers
      ? await (await import('../../open/open-workers.ts')).openWorkers(session, ctx)
      : fillHistory;
    const summary = await fillOrExplain(io, ctx, { order, command: commandOf(range, options), fill });
    return showResult(io, options, {
      ctx,
      range,
      summaries: [...directory, summary, ...(await keepRollupsAfter(ctx))],
    });
  });
}

interface Result {
  readonly ctx: CommandContext;
  readonly range: Range;
  readonly summaries: readonly RunSummary[];
}

function showResult(io: Io, options: BackfillOptions, { ctx, range, summaries }: Result): number {
  ctx.progress.close();
  print(io, options, {
    json: { range: describeRange(range), streams: summaries },
    lines: () => renderSummary(summaries),
  });
  return exitCodeOf(summaries);
}

interface ShownPlan {
  readonly plan: FillPlan;
  /** The parts of the directory that were read before the plan could be made. */
  readonly directory: readonly RunSummary[];
}

function showPlan(io: Io, options: BackfillOptions, { plan, directory }: ShownPlan): number {
  const problems = directory.flatMap(({ stream, problems: own }) => own.map((each) => `${stream}: ${each}`));
  print(io, options, {
    json: { ...planToJson(plan), ...(problems.length > 0 && { problems }) },
    lines: () => [...renderPlan(plan), ...problems],
  });
  return plan.isVain || problems.length > 0 ? ExitCode.partial : ExitCode.done;
}

/** Milliseconds after which a backfill begins, although it is not known yet what it takes. */
const PLAN_MS = 3_000;

/** Says beforehand what the order takes. After an interruption it says how to go on. */
async function fillOrExplain(
  io: Io,
  ctx: SyncContext,
  { order, command, fill }: { order: BackfillOrder; command: string; fill: Fill },
): Promise<RunSummary> {
  const giveUp = new AbortController();
  const plan = async () => say(io, `${describePlan(await estimateFill(ctx, order), Date.now())}\n`);
  const planned = withGiveUp(giveUp.signal, plan);
  // What is wrong is told by the fill. Very many series take long to plan: their fill begins before.
  planned.catch(() => undefined);
  await Promise.race([planned, sleepOrWake(PLAN_MS, AbortSignal.any([ctx.signal, giveUp.signal]))]);
  try {
    return await fill(ctx, order);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    const how = ctx.signal.aborted ? 'interrupted' : 'cancelled';
    throw new InterruptedError(
      ctx.signal.aborted ? 'interrupted.by_signal' : 'interrupted.cancelled',
      `the backfill was ${how}; what is stored stays. To go on: ${command}`,
    );
  } finally {
    giveUp.abort(new Error('the backfill has ended'));
    await planned.catch(() => undefined);
  }
}

function orderOf({ from, to }: Range, { object, property, force }: BackfillOptions): BackfillOrder {
  return { mode: 'backfill', from, to, objects: object, properties: property, force: force ?? false };
}

/**
 * Returns the command that goes on after an interruption. It has fixed times, since `-7d` will soon be
 * another range.
 */
function commandOf({ from, to }: Range, options: BackfillOptions): string {
  const { config, object, property, force, onWorkers } = options;
  const words = [
    'plantsync backfill',
    `--from ${formatInstant(from)} --to ${formatInstant(to)}`,
    ...(object === undefined || object === '*' ? [] : [`--object ${quote(object)}`]),
    ...(property === undefined || property === '*' ? [] : [`--property ${quote(property)}`]),
    ...(force ? ['--force'] : []),
    ...(onWorkers ? ['--on-workers'] : []),
    ...(config === undefined ? [] : [`--config ${quote(config)}`]),
  ];
  return words.join(' ');
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
