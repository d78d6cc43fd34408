import type { Selection } from '../../config/config-schema.ts';
import { readAhead } from '../../read-ahead.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { describeNoWork } from '../selection/describe-no-work.ts';
import { type FillOrder, rangesOf } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import type { SeriesFilter } from '../selection/series-filter.ts';
import { type Destination, planFill } from './plan-fill.ts';

/** What an order leads to for some series of one selection. */
export interface PlannedPart {
  readonly selection: Selection;
  readonly batches: Batch<Destination>[];
  /** Series that the order asks for. */
  readonly asked: number;
  /** Those of them of which a part of the range can be read already. */
  readonly open: number;
}

/** Batches that are filled together. */
export interface Portion {
  readonly batches: readonly Batch<Destination>[];
  /** True if no portion follows. */
  readonly isLast: boolean;
}

/** Numbers of the series of an order, as in `PlannedPart`. They grow while the order is planned. */
export interface AskedSeries {
  asked: number;
  open: number;
}

/** A portion ends when it has this many series or batches, so that any order is filled in bounded memory. */
const PORTION = { series: 50_000, batches: 5_000 };

/** Returns how the command line narrows an order. */
export function filterOf(order: FillOrder): SeriesFilter {
  return { objects: order.objects, properties: order.properties };
}

/**
 * Plans an order in parts: some thousand series at a time, by what the ledger says of them then. Series whose
 * range is stored make parts without batches.
 */
export async function* planParts(ctx: SyncContext, order: FillOrder): AsyncGenerator<PlannedPart> {
  const only = order.mode === 'increment' ? order.selection : undefined;
  // All parts have the same now, however long the plan takes.
  const startedUs = ctx.clock();
  const { platform } = ctx;
  for (const selection of ctx.config.runtime) {
    if (only !== undefined && selection !== only) continue;
    const streams = streamsOf(selection.history);
    if (streams.length === 0) continue;
    for await (const series of readAhead(ctx.catalog.read(selection, filterOf(order)))) {
      const part = { selection, batches: [] as Batch<Destination>[], asked: 0, open: 0 };
      for (const stream of streams) {
        const own = seriesOf(stream, series);
        const { history } = selection;
        const ranges = rangesOf({ platform, clock: () => startedUs }, order, {
          history,
          stepSec: stream.stepSec,
        });
        const isOpen = ranges.wanted.from < ranges.wanted.to;
        part.asked = Math.max(part.asked, own.length);
        if (isOpen) part.open = Math.max(part.open, own.length);
        if (own.length > 0 && isOpen)
          part.batches.push(...(await planFill(ctx, { stream, series: own, ...ranges })));
      }
      yield part;
    }
  }
}

/** Plans an order in portions. An order that leads to no batches has no portion. */
export async function* planPortions(
  ctx: SyncContext,
  order: FillOrder,
  { count, size = PORTION }: { count: AskedSeries; size?: typeof PORTION },
): AsyncGenerator<Portion> {
  let full: Batch<Destination>[] | undefined;
  let batches: Batch<Destination>[] = [];
  let series = 0;
  for await (const part of planParts(ctx, order)) {
    count.asked += part.asked;
    count.open += part.open;
    if (part.batches.length === 0) continue;
    if (full !== undefined) yield { batches: full, isLast: false };
    full = undefined;
    batches.push(...part.batches);
    series += part.asked;
    if (series < size.series && batches.length < size.batches) continue;
    full = batches;
    batches = [];
    series = 0;
  }
  // A full portion is held back until it is known whether another one follows.
  const last = full ?? batches;
  if (last.length > 0) yield { batches: last, isLast: true };
}

/**
 * Says in one sentence why an order with series leads to no batches. Returns nothing if the order selects no
 * series.
 */
export function describeCovered(order: FillOrder, { asked, open }: AskedSeries): string[] {
  // A job of the service comes again soon, so its run does not say that nothing is new.
  if (asked === 0 || (order.mode === 'increment' && order.selection !== undefined)) return [];
  return [describeNoWork({ mode: order.mode, isReadable: open > 0, settle: 'history.settle', series: open })];
}
