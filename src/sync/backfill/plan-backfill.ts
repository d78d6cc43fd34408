import { widthOf } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import { describeCoveredAlarms } from '../alarms/fill-alarms.ts';
import { planAlarms } from '../alarms/plan-alarms.ts';
import type { SyncContext } from '../context.ts';
import { estimateFill, type FillPlan } from '../history/estimate-fill.ts';
import { findTooOld } from '../retention.ts';
import type { BackfillOrder } from '../selection/fill-order.ts';
import { ALARMS } from '../stream-names.ts';
import { refuseTooOld } from './fill-range.ts';

/** What a backfill would read, and what it leaves out. */
export interface BackfillPlan extends FillPlan {
  /** One sentence for each store that does not take the whole range. */
  readonly notes: readonly string[];
}

/**
 * Works out what a backfill of history would read, and how long that takes. Asks the platform for nothing.
 * Throws a `UsageError` if no store keeps points of the range.
 */
export async function planBackfill(
  ctx: SyncContext,
  order: Omit<BackfillOrder, 'mode'>,
): Promise<BackfillPlan> {
  refuseTooOld(ctx, order);
  const plan = await estimateFill(ctx, { ...order, mode: 'backfill' });
  return { ...plan, notes: findTooOld(ctx, order).sentences };
}

/** Works out what a backfill of alarms would read. Nobody knows the number of alarms before. */
export async function planAlarmBackfill(ctx: SyncContext, { from, to }: Range): Promise<BackfillPlan> {
  const order = { mode: 'backfill', from, to } as const;
  const ranges = await planAlarms(ctx, order);
  const [first, last] = [ranges[0], ranges.at(-1)];
  const seriesHours = widthOf(ranges) / 3.6e9;
  const none = { series: 0, seriesHours, estimate: undefined, notes: [] };
  if (first === undefined || last === undefined)
    return { ...none, lines: [], reason: describeCoveredAlarms(ctx, order) };
  const line = {
    ...{ selection: ALARMS, stream: ALARMS, stores: [ctx.postgresStore.kind], series: 1, seriesHours },
    ...{ range: { from: first.from, to: last.to }, stretches: ranges.length, estimate: undefined },
  };
  return { ...none, series: 1, lines: [line] };
}
