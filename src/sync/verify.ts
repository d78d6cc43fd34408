import { UsageError } from '../errors.ts';
import { Knowledge } from '../series/knowledge.ts';
import type { Range } from '../series/types.ts';
import type { Batch } from '../series/window-planner.ts';
import { askPlatformClock, type SyncContext, settledHead } from './context.ts';
import { clipToHead } from './fill.ts';
import { loadLessons, saveLessons } from './lessons.ts';
import { type Destination, HISTORY } from './plan-fill.ts';
import { PointSink } from './point-sink.ts';
import { readAgain } from './read-again.ts';
import { readBatches } from './read-batches.ts';
import { recordRun } from './run.ts';
import type { SelectedSeries, SeriesFilter } from './series-catalog.ts';
import { listGaps, type SeriesGaps } from './status.ts';
import type { RunSummary } from './summary.ts';
import { Unreadable } from './unreadable.ts';
import { planVerify } from './verify-plan.ts';
import { describeStore, type StoreVerification } from './verify-report.ts';
import { VerifySink } from './verify-sink.ts';
import { type ReadAgain, WindowRepair } from './window-repair.ts';

/** What to compare; times are epoch microseconds. */
export interface VerifyOrder extends Range, SeriesFilter {
  /** Whether what differs is written again, and what is extra removed. */
  readonly repair?: boolean | undefined;
}

/** What the comparison showed. */
export interface VerifyReport {
  /** The range that was looked at: whole seconds, not newer than `settle` before now. */
  readonly range: Range;
  /** Series that were wanted. */
  readonly series: number;
  readonly stores: StoreVerification[];
  /** Windows that the platform did not return completely, and whose contents are therefore unknown; one sentence each. */
  readonly unreadable: string[];
  /** What is not called stored, and was therefore not compared. */
  readonly gaps: SeriesGaps[];
  readonly summary: RunSummary;
}

/**
 * Reads the platform once more over a range, by the same rules as every fill (complete replies only), and compares what it returns with
 * what the stores have where coverage calls it stored. With `repair`, what differs is brought into line.
 */
export async function verifyHistory(context: SyncContext, order: VerifyOrder): Promise<VerifyReport> {
  const ctx: SyncContext = { ...context, priority: 'bulk' };
  const selected = await selectSeries(ctx, order);
  await askPlatformClock(ctx);
  const unreadable = new Unreadable();
  let stores: StoreVerification[] = [];
  const summary = await recordRun(ctx, { stream: HISTORY, kind: 'verify' }, async (run) => {
    const kept = await loadLessons(ctx);
    const knowledge = new Knowledge(kept.lessons);
    const read: ReadAgain = async (window) => {
      const rows = await readAgain(ctx, knowledge, window);
      if (rows === undefined) unreadable.add(window, 'it could be read once, and then not again');
      return rows;
    };
    const points = new PointSink(ctx, run);
    const repair = order.repair ? new WindowRepair(ctx, { sink: points, readAgain: read }) : undefined;
    const sink = new VerifySink(ctx, { readAgain: read, repair });
    try {
      await readBatches(ctx, { batches: await planAll(ctx, selected, order), knowledge, sink, unreadable });
    } finally {
      stores = sink.report();
      await points.finish();
      await repair?.end();
      await saveLessons(ctx, { ...kept, lessons: knowledge.lessons });
      run.records = Math.max(0, ...stores.map(({ points }) => points));
      run.problems.push(...stores.flatMap((store) => describeStore(store) ?? []), ...unreadable.describe());
      if (sink.unusableTimes > 0) run.notes.push(`${sink.unusableTimes} rows without a usable time`);
    }
  });
  // Of series only: alarms are not compared.
  const { gaps } = await listGaps(ctx, { ...order, objects: order.objects ?? '*' });
  const settleMs = Math.min(...selected.map(({ selection }) => selection.history.settleMs));
  const range = clipToHead(order, settledHead(ctx, settleMs));
  const series = selected.reduce((sum, each) => sum + each.series.length, 0);
  return { range, series, stores, unreadable: unreadable.describe(), gaps, summary };
}

async function selectSeries(ctx: SyncContext, order: VerifyOrder): Promise<SelectedSeries[]> {
  const selected = (await ctx.catalog.select(order)).filter(
    ({ selection, series }) => selection.history.enabled && series.length > 0,
  );
  if (selected.length === 0)
    throw new UsageError(
      `no series with history matches --object ${order.objects ?? '*'} --property ${order.properties ?? '*'}`,
    );
  return selected;
}

async function planAll(
  ctx: SyncContext,
  selected: readonly SelectedSeries[],
  order: VerifyOrder,
): Promise<Batch<Destination>[]> {
  const batches: Batch<Destination>[] = [];
  for (const { selection, series } of selected) {
    const range = clipToHead(order, settledHead(ctx, selection.history.settleMs));
    if (range.from < range.to) batches.push(...(await planVerify(ctx, { series, range })));
  }
  return batches;
}
