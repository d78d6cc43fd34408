import type { Selection } from '../../config/config-schema.ts';
import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { HISTORY } from '../../series/history-stream.ts';
import type { Range } from '../../series/types.ts';
import type { Batch } from '../../series/window-planner.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { plural } from '../count-text.ts';
import { groupByStream, type StreamBatches } from '../history/fill-batches.ts';
import { withReplySizes } from '../history/learn-reply-sizes.ts';
import type { Destination } from '../history/plan-fill.ts';
import { PointSink } from '../history/point-sink.ts';
import { readInWindows } from '../history/read-in-windows.ts';
import { readOneWindow } from '../history/read-one-window.ts';
import { UnreadableWindows } from '../history/unreadable-windows.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { clipToHead } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { noteSelected } from '../selection/note-selection.ts';
import { nameOfSelection, type SelectedSeries } from '../selection/series-catalog.ts';
import type { SeriesFilter } from '../selection/series-filter.ts';
import { listGaps, type SeriesGaps } from '../status/list-gaps.ts';
import { VerifySink } from './comparing-sink.ts';
import { planVerify } from './plan-verify.ts';
import {
  countDifferences,
  describeStore,
  StoreTally,
  type StoreVerification,
  summarizeDifferences,
} from './verify-report.ts';
import { type ReadAgain, WindowRepair } from './window-repair.ts';

/** An order to compare the stores with the platform. Times are epoch microseconds. */
export interface VerifyOrder extends Range, SeriesFilter {
  /** Whether points that differ are written again, and extra points removed. */
  readonly repair?: boolean | undefined;
}

/** Returns the kind of a comparison's run in the ledger. */
export function kindOfVerification(selection: Selection | undefined): string {
  return selection === undefined ? 'verify' : `verify ${nameOfSelection(selection)}`;
}

/** The result of a comparison. */
export interface VerifyReport {
  /** The range that was compared: whole seconds, not newer than `settle` before now. */
  readonly range: Range;
  /** Number of series that were wanted. */
  readonly series: number;
  readonly stores: StoreVerification[];
  /**
   * One sentence for each reason why the platform did not return windows completely. The contents of these
   * windows are unknown.
   */
  readonly unreadable: string[];
  /** Ranges that are not covered, and were therefore not compared. */
  readonly gaps: SeriesGaps[];
  readonly summary: RunSummary;
}

/** Compares like `compareHistory`, and also lists what was not compared. */
export async function verifyHistory(ctx: SyncContext, order: VerifyOrder): Promise<VerifyReport> {
  const { selected, ...compared } = await compareHistory(ctx, order);
  // Alarms are not compared, so only gaps of series are listed.
  const { gaps } = await listGaps(ctx, { ...order, objects: order.objects ?? '*' });
  const settleMs = Math.min(...selected.map(({ selection }) => selection.history.settleMs));
  const range = clipToHead(order, settledHead(ctx, Number.isFinite(settleMs) ? settleMs : 0));
  const series = selected.reduce((sum, each) => sum + each.series.length, 0);
  return { range, series, ...compared, gaps };
}

/** The result of `compareHistory`. */
interface Comparison extends Pick<VerifyReport, 'stores' | 'unreadable' | 'summary'> {
  /** The series that were wanted, by selection. */
  readonly selected: readonly SelectedSeries[];
}

/**
 * Reads the platform once more over a range, and compares its points with those of each store in the covered
 * ranges. As in every filling, only complete replies count. With `repair`, differences are repaired. With
 * `selection`, only the series of that selection are compared.
 */
export async function compareHistory(
  context: SyncContext,
  { selection, ...order }: VerifyOrder & { readonly selection?: Selection },
): Promise<Comparison> {
  const ctx: SyncContext = { ...context, priority: 'bulk' };
  const selected = await selectSeries(ctx, order, selection);
  await askPlatformClock(ctx);
  const tallies = new Map(ctx.stores.map((store) => [store, new StoreTally(store)]));
  const unreadable = new UnreadableWindows();
  let stores: StoreVerification[] = [];
  const summary = await recordRun(
    ctx,
    { stream: HISTORY, kind: kindOfVerification(selection) },
    async (run, running) => {
      const points = new PointSink(running, run);
      const isRepaired = order.repair ?? false;
      const verification = { tallies, unreadable, points, isRepaired, unusableTimes: 0 };
      const noteLeftOut = await noteSelected(running, run, { ...order, selection, purpose: 'history' });
      try {
        for (const group of groupByStream(await planAll(ctx, selected, order)))
          await verifyStream(running, group, verification);
        await noteLeftOut?.();
      } finally {
        stores = [...tallies.values()].map((tally) => tally.report());
        await points.finish();
        run.records = Math.max(0, ...stores.map((store) => store.points));
        run.problems.push(...stores.flatMap((store) => describeStore(store) ?? []));
        unreadable.tellIn(run);
        const differences = summarizeDifferences(stores);
        if (differences.length > 0) run.differences = differences;
        run.verified = {
          ...{ from: order.from, to: order.to },
          isWhole: order.objects === undefined && order.properties === undefined,
          stores: Object.fromEntries(stores.map((store) => [store.store, countDifferences(store)])),
        };
        const { unusableTimes } = verification;
        if (unusableTimes > 0)
          run.notes.push(`without a usable time: ${plural(unusableTimes, 'row')} of the platform`);
      }
    },
  );
  return { selected, stores, unreadable: unreadable.describe(), summary };
}

interface Verification {
  readonly tallies: ReadonlyMap<PointStore, StoreTally>;
  readonly unreadable: UnreadableWindows;
  /** The sink that writes points again. */
  readonly points: PointSink;
  readonly isRepaired: boolean;
  /** Number of rows of the platform that have no place in a store, added up over the streams. */
  unusableTimes: number;
}

/** Compares batches that are read alike. */
function verifyStream(ctx: SyncContext, group: StreamBatches, verification: Verification): Promise<void> {
  const { tallies, unreadable, points, isRepaired } = verification;
  return withReplySizes(ctx, group.stream, async (replySizes) => {
    const read: ReadAgain = async (stream, window) => {
      const rows = await readOneWindow(ctx, { stream, replySizes }, window);
      if (rows === undefined) unreadable.add(window, 'the first read succeeded, but the second failed');
      return rows;
    };
    const repair = isRepaired ? new WindowRepair(ctx, { sink: points, readAgain: read }) : undefined;
    const sink = new VerifySink(ctx, { tallies, readAgain: read, repair });
    try {
      await readInWindows(ctx, { batches: group.batches, replySizes, sink, unreadable });
      await points.drain();
    } finally {
      await repair?.end();
      verification.unusableTimes += sink.unusableTimes;
    }
  });
}

/** Returns the selections that have series. The run tells which have none. */
async function selectSeries(
  ctx: SyncContext,
  order: VerifyOrder,
  only: Selection | undefined,
): Promise<SelectedSeries[]> {
  const selected = (await ctx.catalog.select(order)).filter(
    ({ selection, series }) =>
      selection.history.enabled && series.length > 0 && (only === undefined || only === selection),
  );
  return selected;
}

async function planAll(
  ctx: SyncContext,
  selected: readonly SelectedSeries[],
  order: VerifyOrder,
): Promise<Batch<Destination>[]> {
  const batches: Batch<Destination>[] = [];
  for (const { selection, series } of selected)
    for (const stream of streamsOf(selection.history)) {
      const { stepSec } = stream;
      const range = clipToHead(order, settledHead(ctx, selection.history.settleMs, stepSec), stepSec);
      const own = seriesOf(stream, series);
      if (own.length > 0 && range.from < range.to)
        batches.push(...(await planVerify(ctx, { stream, series: own, range })));
    }
  return batches;
}
