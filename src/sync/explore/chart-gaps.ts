import type { PointStore } from '../../load/stores/store.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet } from '../../series/range.ts';
import type { Range, Series } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { rangesOf } from '../selection/fill-order.ts';
import { streamsOf } from '../selection/history-streams.ts';
import { newestGaps } from '../status/list-gaps.ts';

export type ChartContext = Pick<SyncContext, 'ledger' | 'clock' | 'platform' | 'config' | 'catalog'>;

export interface ChartQuestion {
  readonly store: PointStore;
  readonly stream: HistoryStream;
  readonly series: Series;
  readonly range: Range;
  /** The most columns that can be seen. */
  readonly columns: number;
}

export interface MissingParts {
  /** The ranges that are missing. The newest data, which the next run reads, is no gap. */
  readonly gaps: RangeSet;
  /** The ranges that are not stored, and that no selection asks for. */
  readonly unwanted: RangeSet;
}

/** Divides what is not stored into what is missing and what nobody wants, without the newest. */
export async function findMissing(
  ctx: ChartContext,
  { stream, series, range }: ChartQuestion,
  { covered, unstored }: { readonly covered: RangeSet; readonly unstored: RangeSet },
): Promise<MissingParts> {
  const { headUs, endUs, widthUs } = newestGaps(ctx, stream.stepSec);
  const past = intersect(unstored, [{ from: range.from, to: headUs }]);
  const wanted = (await wantedOf(ctx, { stream, series })) ?? hullOf(covered);
  const gaps = intersect(past, wanted).filter(({ from, to }) => to <= endUs || to - from >= widthUs);
  return { gaps, unwanted: subtract(past, wanted) };
}

/** Returns what the selections want of one series. Undefined if none of them reads it any more. */
async function wantedOf(
  ctx: ChartContext,
  { stream, series }: Pick<ChartQuestion, 'stream' | 'series'>,
): Promise<RangeSet | undefined> {
  const { stepSec } = stream;
  const order = { mode: 'increment', again: 'none' } as const;
  const own = (await ctx.catalog.select()).filter(
    ({ selection: { history }, series: all }) =>
      streamsOf(history).some(({ name }) => name === stream.name) && all.some(({ id }) => id === series.id),
  );
  if (own.length === 0) return undefined;
  // What is too new to be read is wanted, too.
  return toRangeSet(
    own.map(({ selection: { history } }) => ({
      from: rangesOf(ctx, order, { history, stepSec }).wanted.from,
      to: Number.MAX_SAFE_INTEGER,
    })),
  );
}

/** What lies between stored ranges was wanted once. */
function hullOf(covered: RangeSet): RangeSet {
  const [first, last] = [covered[0], covered.at(-1)];
  return first === undefined || last === undefined ? [] : [{ from: first.from, to: last.to }];
}

/** The newest point is looked for so far back. */
const NEWEST_US = 366 * 86_400e6;

export async function findNewest(
  { store, stream, series, range }: ChartQuestion,
  covered: RangeSet,
): Promise<number | undefined> {
  // Only what is stored can hold points.
  const before = intersect(covered, [{ from: range.from - NEWEST_US, to: range.from }]);
  const [hull] = hullOf(before);
  if (hull === undefined) return undefined;
  const page = { stream: stream.name, series, range: hull, limit: 1 } as const;
  return (await store.readPage({ ...page, order: 'newest first' })).times[0];
}
