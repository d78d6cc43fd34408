import { UsageError } from '../../errors.ts';
import { HISTORY } from '../../series/history-stream.ts';
import type { Range } from '../../series/types.ts';
import { deliverEvents, takersOf } from '../alarms/deliver-events.ts';
import { fillAlarms } from '../alarms/fill-alarms.ts';
import type { AlarmOrder } from '../alarms/plan-alarms.ts';
import type { SyncContext } from '../context.ts';
import { readNeeded } from '../directory/read-needed.ts';
import { findTooOld } from '../retention.ts';
import type { RunSummary } from '../run-summary.ts';
import type { BackfillOrder } from '../selection/fill-order.ts';
import { listNeededFirst } from '../selection/needed-first.ts';

/** Fills the history that an order asks for: in this process, or by workers. */
export type Fill = (ctx: SyncContext, order: BackfillOrder) => Promise<RunSummary>;

/** Fills a range of history by itself, as the service does it. The directory is read first if nobody has. */
export async function fillRange(ctx: SyncContext, order: BackfillOrder, fill: Fill): Promise<RunSummary[]> {
  const directory = await readNeeded(ctx, await listNeededFirst(ctx, [HISTORY]));
  return [...directory, await fill(ctx, order)];
}

/** Fills a range of the history of alarms, and writes the events to the other stores. */
export async function fillAlarmRange(ctx: SyncContext, order: AlarmOrder): Promise<RunSummary[]> {
  const filled = await fillAlarms(ctx, order);
  return takersOf(ctx).length === 0 ? [filled] : [filled, await deliverEvents(ctx)];
}

/**
 * Throws a `UsageError` if no store keeps points of this range. Alarms are kept for ever, so they have no
 * such check.
 */
export function refuseTooOld(ctx: SyncContext, range: Range): void {
  const { all, sentences } = findTooOld(ctx, range);
  if (all)
    throw new UsageError(
      'usage.nothing_kept',
      'No store keeps points of this range: there is nothing to read.',
      sentences,
    );
}
