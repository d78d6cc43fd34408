import { readAhead } from '../../read-ahead.ts';
import type { Range } from '../../series/types.ts';
import { type Batch, seriesHoursOf } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { explainSelections } from '../selection/empty-selection.ts';
import type { FillOrder } from '../selection/fill-order.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';
import { type FillRate, loadRates, type RateOf } from './fill-rate.ts';
import { groupBy } from './group-by.ts';
import { type Destination, keyOfStores } from './plan-fill.ts';
import { type AskedSeries, describeCovered, filterOf, planParts } from './plan-order.ts';

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

/** Works out what an order would read, and how long that takes. Asks the platform for nothing. */
export async function estimateFill(ctx: SyncContext, order: FillOrder): Promise<FillPlan> {
  const rateOf = await loadRates(ctx);
  const count = { asked: 0, open: 0 };
  const sums = new Map<string, LineSum>();
  let series = 0;
  for await (const { selection, batches, asked, open } of readAhead(planParts(ctx, order))) {
    count.asked += asked;
    count.open += open;
    series += countSeries(batches);
    addUp(sums, nameOfSelection(selection), batches);
  }
  const lines = [...sums.values()].map((sum) => lineOf(sum, rateOf));
  const seriesHours = lines.reduce((sum, line) => sum + line.seriesHours, 0);
  const plan = { lines, series, seriesHours, estimate: sumOf(lines.map(({ estimate }) => estimate)) };
  return lines.length > 0 ? plan : { ...plan, ...(await explainEmptyPlan(ctx, order, count)) };
}

async function explainEmptyPlan(
  ctx: SyncContext,
  order: FillOrder,
  count: AskedSeries,
): Promise<Pick<FillPlan, 'reason' | 'isVain'>> {
  const { nothing } = await explainSelections(ctx, { ...filterOf(order), purpose: 'history' });
  if (nothing !== undefined) return { reason: nothing.sentence, isVain: nothing.isFault };
  const [reason] = describeCovered(order, count);
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

/** What the batches of one line add up to. */
interface LineSum extends Pick<PlanLine, 'selection'> {
  readonly destination: Pick<Destination, 'stream' | 'stores'>;
  series: number;
  from: number;
  to: number;
  stretches: number;
  seriesHours: number;
  batches: number;
}

/**
 * Adds batches of other series to the lines of their selection. All batches with the same stream and stores
 * are one line, because they are one piece of work to people.
 */
function addUp(sums: Map<string, LineSum>, selection: string, batches: readonly Batch<Destination>[]): void {
  const keyOf = ({ tag }: Batch<Destination>) =>
    JSON.stringify([selection, tag.stream.name, keyOfStores(tag.stores)]);
  for (const group of groupBy(batches, keyOf)) {
    const [first] = group;
    const sum = sums.get(keyOf(first)) ?? {
      ...{ selection, destination: first.tag, series: 0, stretches: 0, seriesHours: 0, batches: 0 },
      ...{ from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
    };
    sums.set(keyOf(first), sum);
    for (const { missing } of group) {
      sum.from = Math.min(sum.from, missing[0]?.from ?? sum.from);
      sum.to = Math.max(sum.to, missing.at(-1)?.to ?? sum.to);
      sum.stretches = Math.max(sum.stretches, missing.length);
    }
    sum.series += countSeries(group);
    sum.seriesHours += seriesHoursOf(group);
    sum.batches += group.length;
  }
}

/** Makes the lines of batches of one selection. */
export function linesOf(
  selection: string,
  batches: readonly Batch<Destination>[],
  rateOf: RateOf,
): PlanLine[] {
  const sums = new Map<string, LineSum>();
  addUp(sums, selection, batches);
  return [...sums.values()].map((sum) => lineOf(sum, rateOf));
}

function countSeries(batches: readonly Batch<Destination>[]): number {
  return new Set(batches.flatMap(({ series }) => series.map(({ id }) => id))).size;
}

function lineOf({ selection, destination, series, from, to, ...sum }: LineSum, rateOf: RateOf): PlanLine {
  const { stream, stores } = destination;
  const { stretches, seriesHours } = sum;
  const rate = rateOf(stream);
  return {
    ...{ selection, stream: stream.name, stores: stores.map(({ kind }) => kind), series },
    ...{ range: { from, to }, stretches, seriesHours },
    estimate: rate && estimateOf(rate, seriesHours, sum.batches),
  };
}

function estimateOf(rate: FillRate, seriesHours: number, leastRequests: number): Estimate {
  const points = seriesHours * rate.rowsPerSeriesHour;
  return {
    points,
    requests: Math.max(seriesHours > 0 ? leastRequests : 0, Math.ceil(points / rate.rowsPerRequest)),
    seconds: points / rate.rowsPerSec,
  };
}
