import type { Range } from '../../series/types.ts';
import { seriesHoursOf } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { explainSelections } from '../selection/empty-selection.ts';
import type { FillOrder } from '../selection/fill-order.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';
import { describeCovered, filterOf, planSelections } from './fill-history.ts';
import { type FillRate, loadRates, type RateOf } from './fill-rate.ts';
import { groupBy } from './group-by.ts';
import { keyOfStores } from './plan-fill.ts';

/** The work that a filling takes, by the rate of earlier fillings. */
export interface Estimate {
  readonly points: number;
  readonly requests: number;
  readonly seconds: number;
}

/** What one selection lacks of one stream in one set of stores. */
export interface PlanLine {
  /** The selection as `objects/properties`. */
  readonly selection: string;
  /** Name of the stream, raw history or an aggregate: `history`, `history/300s/mean`. */
  readonly stream: string;
  /** Kinds of the stores that get the points. */
  readonly stores: readonly string[];
  readonly series: number;
  /** The range from the oldest gap to the newest. */
  readonly range: Range;
  /** Separate gaps in the range, of the batch that has most. */
  readonly stretches: number;
  /** Hours of time to read, added up over all series. */
  readonly seriesHours: number;
  /** Undefined until a filling of such a stream has shown a rate. */
  readonly estimate: Estimate | undefined;
}

export interface FillPlan {
  readonly lines: PlanLine[];
  readonly series: number;
  readonly seriesHours: number;
  /** Undefined if the estimate of any line is undefined. */
  readonly estimate: Estimate | undefined;
  /** Says why nothing is read, if there are no lines. Undefined for a plan of the service. */
  readonly reason?: string | undefined;
  /** Whether nothing is selected although the platform has something to select. */
  readonly isVain?: boolean;
}

type Batches = Awaited<ReturnType<typeof planSelections>>[number]['batches'];

/** Works out what an order would read, and how long that takes. Asks the platform for nothing. */
export async function estimateFill(ctx: SyncContext, order: FillOrder): Promise<FillPlan> {
  const rateOf = await loadRates(ctx);
  const planned = await planSelections(ctx, order);
  const lines = planned.flatMap(({ selection, batches }) =>
    linesOf(nameOfSelection(selection), batches, rateOf),
  );
  const seriesHours = lines.reduce((sum, line) => sum + line.seriesHours, 0);
  const series = new Set(planned.flatMap(({ batches }) => batches.flatMap((batch) => batch.series))).size;
  const plan = { lines, series, seriesHours, estimate: sumOf(lines.map(({ estimate }) => estimate)) };
  return lines.length > 0 ? plan : { ...plan, ...(await explainEmptyPlan(ctx, order)) };
}

async function explainEmptyPlan(
  ctx: SyncContext,
  order: FillOrder,
): Promise<Pick<FillPlan, 'reason' | 'isVain'>> {
  const { nothing } = await explainSelections(ctx, { ...filterOf(order), purpose: 'history' });
  if (nothing !== undefined) return { reason: nothing.sentence, isVain: nothing.isFault };
  const [reason] = await describeCovered(ctx, order);
  return { reason, isVain: false };
}

function sumOf(estimates: readonly (Estimate | undefined)[]): Estimate | undefined {
  const sum = { points: 0, requests: 0, seconds: 0 };
  for (const estimate of estimates) {
    if (estimate === undefined) return undefined;
    sum.points += estimate.points;
    sum.requests += estimate.requests;
    sum.seconds += estimate.seconds;
  }
  return sum;
}

/**
 * Makes one line of all batches of a selection with the same stream and stores. To people they are one piece
 * of work.
 */
export function linesOf(selection: string, batches: Batches, rateOf: RateOf): PlanLine[] {
  const groups = groupBy(batches, ({ tag }) => `${tag.stream.name}\n${keyOfStores(tag.stores)}`);
  return groups.map((group) => {
    const { stream, stores } = group[0].tag;
    const rate = rateOf(stream);
    const ranges = group.flatMap(({ missing }) => missing);
    const seriesHours = seriesHoursOf(group);
    return {
      selection,
      stream: stream.name,
      stores: stores.map(({ kind }) => kind),
      series: new Set(group.flatMap(({ series }) => series.map(({ id }) => id))).size,
      range: {
        from: Math.min(...ranges.map(({ from }) => from)),
        to: Math.max(...ranges.map(({ to }) => to)),
      },
      stretches: Math.max(...group.map(({ missing }) => missing.length)),
      seriesHours,
      estimate: rate && estimateOf(rate, seriesHours, group.length),
    };
  });
}

function estimateOf(rate: FillRate, seriesHours: number, leastRequests: number): Estimate {
  const points = seriesHours * rate.rowsPerSeriesHour;
  return {
    points,
    requests: Math.max(seriesHours > 0 ? leastRequests : 0, Math.ceil(points / rate.rowsPerRequest)),
    seconds: points / rate.rowsPerSec,
  };
}
