import { ExitCode, InterruptedError, UsageError } from '../../../errors.ts';
import { HISTORY } from '../../../series/history-stream.ts';
import { formatInstant } from '../../../series/instant.ts';
import type { Range } from '../../../series/types.ts';
import type { SyncContext } from '../../../sync/context.ts';
import { estimateFill, type FillPlan } from '../../../sync/history/estimate-fill.ts';
import { fillHistory } from '../../../sync/history/fill-history.ts';
import { findTooOld } from '../../../sync/retention.ts';
import type { RunSummary } from '../../../sync/run-summary.ts';
import type { BackfillOrder } from '../../../sync/selection/fill-order.ts';
import { listNeededFirst } from '../../../sync/selection/needed-first.ts';
import { type CommonOptions, type Io, print, say } from '../../io.ts';
import { checkReachable } from '../../open/check-reachable.ts';
import { readDirectoryFirst } from '../../open/read-directory-first.ts';
import { type CommandContext, openContext, withSession } from '../../open/session.ts';
import { exitCodeOf } from '../../output/exit-code.ts';
import { renderSummary } from '../../output/summary-table.ts';
import { describeRange, formatRange, parseRange, zoneOf } from '../../output/time.ts';
import { backfillAlarms, checkAlarmOptions, showAlarmPlan } from './backfill-alarms.ts';
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

/** `plantsync backfill`: fills a range of history; what is stored already is not read again, so it can be repeated at will. */
export async function backfill(io: Io, options: BackfillOptions): Promise<number> {
  const { from, to } = options;
  if (options.onWorkers && options.alarms)
    throw new UsageError(
      'usage.conflicting_options',
      '--on-workers: the history of alarms is one stream, so one process reads it',
    );
  if (from === undefined)
    throw new UsageError('usage.missing_argument', '--from TIME is missing: where shall the backfill begin?');
  if (options.alarms) checkAlarmOptions(options);
  return withSession(io, options, async (session) => {
    const dates = zoneOf(options.timezone, session.config);
    const range = parseRange({ from, to, zone: dates, now: Date.now() * 1000 });
    say(io, `backfill of ${formatRange(range, dates.name)}\n`);
    const ctx = await openContext(io, options, { ...session, readsOnly: options.dryRun });
    if (options.alarms) {
      const alarms = { range, force: options.force ?? false };
      if (options.dryRun) return showAlarmPlan(io, options, { ctx, backfill: alarms });
      await checkReachable(ctx.platform, ctx.signal);
      return showResult(io, options, { ctx, range, summaries: await backfillAlarms(ctx, alarms) });
    }
    refuseTooOld(ctx, range);
    const order = orderOf(range, options);
    // A plan needs the ledger alone once the directory is known. Every other command learns first that the platform is away.
    const needed = await listNeededFirst(ctx, [HISTORY]);
    if (!options.dryRun || needed.streams.length > 0) await checkReachable(ctx.platform, ctx.signal);
    const directory = await readDirectoryFirst(io, ctx, { needed });
    if (options.dryRun) {
      ctx.progress.close();
      return showPlan(io, options, { plan: await estimateFill(ctx, order), directory });
    }
    const fill = options.onWorkers
      ? await (await import('../../open/open-workers.ts')).openWorkers(session, ctx)
      : fillHistory;
    const summary = await fillOrExplain(io, ctx, { order, command: commandOf(range, options), fill });
    return showResult(io, options, { ctx, range, summaries: [...directory, summary] });
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

/** Alarms are kept in a table that forgets nothing; points are not, in every store. */
function refuseTooOld(ctx: SyncContext, range: Range): void {
  const { all, sentences } = findTooOld(ctx, range);
  if (all)
    throw new UsageError(
      'usage.nothing_kept',
      'No store keeps points of this range: there is nothing to read.',
      sentences,
    );
}

interface ShownPlan {
  readonly plan: FillPlan;
  /** What was read before it could be made. */
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

/** Says beforehand what the order takes, and after an interruption how to go on. */
async function fillOrExplain(
  io: Io,
  ctx: SyncContext,
  { order, command, fill }: { order: BackfillOrder; command: string; fill: Fill },
): Promise<RunSummary> {
  say(io, `${describePlan(await estimateFill(ctx, order), Date.now())}\n`);
  try {
    return await fill(ctx, order);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    const how = ctx.signal.aborted ? 'interrupted' : 'cancelled';
    throw new InterruptedError(
      ctx.signal.aborted ? 'interrupted.by_signal' : 'interrupted.cancelled',
      `the backfill was ${how}; what is stored stays. To go on: ${command}`,
    );
  }
}

type Fill = (ctx: SyncContext, order: BackfillOrder) => Promise<RunSummary>;

function orderOf({ from, to }: Range, { object, property, force }: BackfillOptions): BackfillOrder {
  return { mode: 'backfill', from, to, objects: object, properties: property, force: force ?? false };
}

/** The command that goes on where this one was cut: with the times that it had, since `-7d` will soon be another range. */
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

/** For a POSIX shell. */
function quote(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
