import type { HistoryStream } from '../../series/history-stream.ts';
import { overlay, type RangeSet, subtract } from '../../series/range.ts';
import type { Range, Series } from '../../series/types.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { type Destination, type PlannedStretch, planByCoverage } from '../history/plan-fill.ts';
import { clipByRetention } from '../retention.ts';

export interface VerifyQuestion {
  readonly stream: HistoryStream;
  readonly series: readonly Series[];
  /** The range to compare, in whole steps of the stream. */
  readonly range: Range;
}

/**
 * Plans a comparison: the stretches that each store holds by its coverage, and still keeps, as batches of
 * equal series.
 */
export function planVerify(ctx: SyncContext, question: VerifyQuestion): Promise<Batch<Destination>[]> {
  const { stream, series, range } = question;
  return planByCoverage(ctx, { stream, series, wanted: range }, (gaps) => stretchesOf(ctx, question, gaps));
}

/** Returns the stretches, and the stores that hold them. */
function stretchesOf(
  ctx: SyncContext,
  { stream, range }: VerifyQuestion,
  gaps: readonly RangeSet[],
): PlannedStretch[] {
  const { stepSec } = stream;
  const stored = ctx.stores.map((store, k) =>
    clipByRetention(ctx, store, { ranges: subtract([range], gaps[k] ?? []), stepSec }),
  );
  return overlay(stored).map(({ range: stretch, members }) => {
    const stores = ctx.stores.filter((_, k) => members.includes(k));
    return { range: stretch, destination: { stream, stores, fresh: false } };
  });
}
