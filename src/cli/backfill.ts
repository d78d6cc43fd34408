import { zone } from '../config/fields.ts';
import type { Config } from '../config/schema.ts';
import { UsageError } from '../errors.ts';
import { formatInstant } from '../series/instant.ts';
import type { Range } from '../series/types.ts';
import type { SyncContext } from '../sync/context.ts';
import { type FillOrder, fillHistory, planHistory } from '../sync/fill.ts';
import { backfillAlarms, checkAlarmOptions, showAlarmPlan } from './backfill-alarms.ts';
import { type CommonOptions, type Io, print } from './io.ts';
import { checkReachable } from './preflight.ts';
import { openContext, withSession } from './session.ts';
import { exitCodeOf, renderSummary } from './summary-table.ts';
import { formatNumber, renderTable } from './table.ts';
import { formatRange, parseRange, type TimeQuestion } from './time.ts';

export interface BackfillOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
  readonly alarms?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** `plantsync backfill`: fills a range of history; what is stored already is not read again, so it can be repeated at will. */
export async function backfill(io: Io, options: BackfillOptions): Promise<number> {
  const { from, to } = options;
  if (from === undefined) throw new UsageError('--from TIME is missing: where shall the backfill begin?');
  if (options.alarms) checkAlarmOptions(options);
  return withSession(io, options, async (session) => {
    const dates = zoneOf(options.timezone, session.config);
    const range = parseRange({ from, to, zone: dates, now: Date.now() * 1000 });
    io.stderr.write(`backfill of ${formatRange(range, dates.name)}\n`);
    const ctx = await openContext(io, options, session);
    const alarms = options.alarms ? { range, force: options.force ?? false } : undefined;
    const order = orderOf(range, options);
    if (options.dryRun)
      return alarms === undefined
        ? showPlan(io, options, { ctx, order })
        : showAlarmPlan(io, options, { ctx, backfill: alarms });
    await checkReachable(ctx.platform, ctx.signal);
    const summaries =
      alarms === undefined ? [await fillHistory(ctx, order)] : await backfillAlarms(ctx, alarms);
    ctx.progress.close();
    print(io, options, {
      json: { range: describeRange(range), streams: summaries },
      lines: () => renderSummary(summaries),
    });
    return exitCodeOf(summaries);
  });
}

/** The zone of dates on the command line: `--timezone`, else the platform's, else UTC (which nobody stated). */
export function zoneOf(option: string | undefined, config: Config): TimeQuestion['zone'] {
  const name = option ?? config.platform.timezone;
  const checked = zone().optional().safeParse(option);
  if (!checked.success) throw new UsageError(`--timezone: ${checked.error.issues[0]?.message}`);
  return { name: name ?? 'UTC', stated: name !== undefined };
}

function orderOf({ from, to }: Range, { object, property, force }: BackfillOptions): FillOrder {
  return { mode: 'backfill', from, to, objects: object, properties: property, force: force ?? false };
}

async function showPlan(
  io: Io,
  options: BackfillOptions,
  { ctx, order }: { ctx: SyncContext; order: FillOrder },
): Promise<number> {
  const batches = await planHistory(ctx, order);
  const plan = summarizePlan(batches);
  const hours = plan.reduce((sum, line) => sum + line.hours * line.series, 0);
  const series = plan.reduce((sum, line) => sum + line.series, 0);
  print(io, options, {
    json: { plan, seriesHours: hours },
    lines: () => [
      ...renderTable(
        ['stores', 'series', 'from', 'to', 'hours'],
        plan.map((line) => [line.stores, line.series, line.from, line.to, line.hours]),
      ),
      plan.length === 0
        ? 'nothing to do: everything is stored'
        : `${formatNumber(series)} series, ${formatNumber(hours)} series-hours to read`,
    ],
  });
  return 0;
}

interface PlanLine {
  readonly stores: string;
  readonly series: number;
  readonly from: string;
  readonly to: string;
  /** Hours to read of each series. */
  readonly hours: number;
}

/** One line for all batches with the same stores and the same ranges: that they are read apart is no matter to people. */
export function summarizePlan(batches: Awaited<ReturnType<typeof planHistory>>): PlanLine[] {
  const lines = new Map<string, PlanLine>();
  for (const { series, missing, tag } of batches) {
    const stores = tag.stores.map(({ kind }) => kind).join(' + ');
    const key = JSON.stringify([stores, missing]);
    lines.set(key, {
      stores,
      series: series.length + (lines.get(key)?.series ?? 0),
      from: formatInstant(Math.min(...missing.map(({ from }) => from))),
      to: formatInstant(Math.max(...missing.map(({ to }) => to))),
      hours: missing.reduce((sum, { from, to }) => sum + (to - from) / 3.6e9, 0),
    });
  }
  return [...lines.values()];
}

function describeRange({ from, to }: Range): { from: string; to: string } {
  return { from: formatInstant(from), to: formatInstant(to) };
}
