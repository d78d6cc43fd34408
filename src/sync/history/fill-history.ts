import type { Selection } from '../../config/config-schema.ts';
import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { type Batch, seriesHoursOf } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import { findTooOld } from '../retention.ts';
import type { RunSummary } from '../run-summary.ts';
import { describeNoWork } from '../selection/describe-no-work.ts';
import { askedOf, type FillOrder, kindOfFill, rangesOf } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { noteSelection, noteSelections } from '../selection/note-selection.ts';
import type { SeriesFilter } from '../selection/series-catalog.ts';
import { fillBatches } from './fill-batches.ts';
import { type Destination, type FillQuestion, planFill } from './plan-fill.ts';

/** The batches that one selection lacks. */
interface PlannedSelection {
  readonly selection: Selection;
  readonly batches: Batch<Destination>[];
}

/**
 * Fills the history of every store that lacks any. Ranges that are wanted and not covered become windows,
 * points in stores, and coverage.
 */
export async function fillHistory(context: SyncContext, order: FillOrder): Promise<RunSummary> {
  const run = { stream: HISTORY, kind: kindOfFill(order), asked: askedOf(order) };
  return recordRun(context, run, async (summary, ctx) => {
    await askPlatformClock(ctx);
    if (order.mode === 'increment' && order.again === 'lookback') summary.lookedBack = true;
    if (order.mode === 'backfill') summary.notes.push(...findTooOld(ctx, order).sentences);
    await noteOrder(ctx, summary, order);
    const batches = await planHistory(ctx, order);
    ctx.progress.plan?.(seriesHoursOf(batches));
    if (batches.length === 0) summary.notes.push(...(await describeCovered(ctx, order)));
    const catchUpUntil = order.mode === 'increment' ? order.catchUpUntil : undefined;
    await fillBatches(order.mode === 'backfill' ? { ...ctx, priority: 'bulk' } : ctx, summary, {
      batches,
      catchUpUntil,
    });
  });
}

/** Notes in the summary of an order which selections select nothing. */
export async function noteOrder(ctx: SyncContext, summary: RunSummary, order: FillOrder): Promise<void> {
  const selection = order.mode === 'increment' ? order.selection : undefined;
  if (selection !== undefined) await noteSelection(ctx, summary, { selection, purpose: 'history' });
  else await noteSelections(ctx, summary, { ...filterOf(order), purpose: 'history' });
}

/** Returns how the command line narrows an order. */
export function filterOf(order: FillOrder): SeriesFilter {
  return { objects: order.objects, properties: order.properties };
}

/**
 * Says in one sentence why an order with series leads to no batches. Returns nothing if the order selects no
 * series.
 */
export async function describeCovered(ctx: SyncContext, order: FillOrder): Promise<string[]> {
  // A job of the service comes again soon, so its run does not say that nothing is new.
  if (order.mode === 'increment' && order.selection !== undefined) return [];
  const asked = await listAsked(ctx, order);
  if (asked.length === 0) return [];
  const open = asked.filter(({ wanted }) => wanted.from < wanted.to);
  const series = new Set(open.flatMap((each) => each.series.map(({ id }) => id))).size;
  const { mode } = order;
  return [describeNoWork({ mode, isReadable: open.length > 0, settle: 'history.settle', series })];
}

/** Lists the batches that an order leads to. The list is empty if everything is stored. */
export async function planHistory(ctx: SyncContext, order: FillOrder): Promise<Batch<Destination>[]> {
  return (await planSelections(ctx, order)).flatMap(({ batches }) => batches);
}

/** Lists the batches of an order, for each selection that has anything to fill. */
export async function planSelections(ctx: SyncContext, order: FillOrder): Promise<PlannedSelection[]> {
  const planned = new Map<Selection, Batch<Destination>[]>();
  for (const { selection, wanted, ...asked } of await listAsked(ctx, order)) {
    if (wanted.from >= wanted.to) continue;
    const batches = planned.get(selection) ?? [];
    batches.push(...(await planFill(ctx, { ...asked, wanted })));
    planned.set(selection, batches);
  }
  return [...planned]
    .map(([selection, batches]) => ({ selection, batches }))
    .filter(({ batches }) => batches.length > 0);
}

/** A stream of a selection that an order asks for. */
interface Asked extends FillQuestion {
  readonly selection: Selection;
}

/** Lists what an order asks for, stored or not: each stream of each selection that has series. */
async function listAsked(ctx: SyncContext, order: FillOrder): Promise<Asked[]> {
  const only = order.mode === 'increment' ? order.selection : undefined;
  const selected = await ctx.catalog.select(filterOf(order));
  return selected
    .filter(({ selection }) => only === undefined || selection === only)
    .flatMap(({ selection, series }) =>
      streamsOf(selection.history).flatMap((stream) => {
        const own = seriesOf(stream, series);
        const ranges = rangesOf(ctx, order, { history: selection.history, stepSec: stream.stepSec });
        return own.length === 0 ? [] : [{ selection, stream, series: own, ...ranges }];
      }),
    );
}
