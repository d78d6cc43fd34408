import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import { HISTORY } from '../../series/history-stream.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import { findTooOld } from '../retention.ts';
import type { RunSummary } from '../run-summary.ts';
import { askedOf, type FillOrder, kindOfFill } from '../selection/fill-order.ts';
import { noteSelected } from '../selection/note-selection.ts';
import { fillPortions } from './fill-batches.ts';
import type { Destination } from './plan-fill.ts';
import { describeCovered, filterOf, planParts, planPortions } from './plan-order.ts';
import { tellTotal } from './tell-total.ts';

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
    const noteLeftOut = await noteOrder(ctx, summary, order);
    const count = { asked: 0, open: 0 };
    const catchUpUntil = order.mode === 'increment' ? order.catchUpUntil : undefined;
    const isBackfill = order.mode === 'backfill';
    const { isEmpty } = await fillPortions(isBackfill ? { ...ctx, priority: 'bulk' } : ctx, summary, {
      plan: () => planPortions(ctx, order, { count }),
      onMany: isBackfill ? () => tellTotal(ctx, order) : undefined,
      catchUpUntil,
    });
    if (isEmpty) summary.notes.push(...describeCovered(order, count));
    await noteLeftOut?.();
  });
}

/** Notes in the summary of an order which selections select nothing, as `noteSelected` does. */
export function noteOrder(
  ctx: SyncContext,
  summary: RunSummary,
  order: FillOrder,
): ReturnType<typeof noteSelected> {
  const selection = order.mode === 'increment' ? order.selection : undefined;
  return noteSelected(ctx, summary, { ...filterOf(order), selection, purpose: 'history' });
}

/** Lists the batches that an order leads to, in memory. The list is empty if everything is stored. */
export async function planHistory(ctx: SyncContext, order: FillOrder): Promise<Batch<Destination>[]> {
  const batches: Batch<Destination>[] = [];
  for await (const part of planParts(ctx, order)) batches.push(...part.batches);
  return batches;
}
