import type { PointStore } from '../../load/stores/store.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import { intersect, overlay, type RangeSet, toRangeSet, unite } from '../../series/range.ts';
import { type Range, type Series, seriesName } from '../../series/types.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { groupBy } from './group-by.ts';

/** Where the points of a batch go. */
export interface Destination {
  readonly stream: HistoryStream;
  /** Stores that get the points of this stretch. */
  readonly stores: readonly PointStore[];
  /** Whether all these stores lack the stretch. False if a stored stretch is read again. */
  readonly fresh: boolean;
}

/** A stretch of time, and where its points go. */
export interface PlannedStretch {
  readonly range: Range;
  readonly destination: Destination;
}

export interface FillQuestion {
  readonly stream: HistoryStream;
  readonly series: readonly Series[];
  /** The range that every store must have, in whole steps of the stream. */
  readonly wanted: Range;
  /** The range that is read again even if it is stored, because late points may have come. */
  readonly again?: Range | undefined;
}

/** Most series of one request. */
export const SERIES_PER_READ = 100;
/**
 * The lookback is read again each time that a part of it has passed. The lookback has this number of parts.
 */
export const LOOKBACK_SHARE = 4;

/**
 * Plans a filling: wanted minus covered, for each store and series, as batches of series with equal gaps.
 * Every filling is planned by this one subtraction.
 */
export async function planFill(ctx: SyncContext, question: FillQuestion): Promise<Batch<Destination>[]> {
  const again = question.again === undefined ? [] : intersect([question.again], [question.wanted]);
  return planByCoverage(ctx, question, (gaps) => stretchesOf(ctx, question.stream, { gaps, again }));
}

/**
 * Makes batches of series with equal coverage. `stretchesOf` tells which stretch goes where, from what each
 * store lacks of `wanted`.
 */
export async function planByCoverage(
  ctx: SyncContext,
  { stream, series, wanted }: Omit<FillQuestion, 'again'>,
  stretchesOf: (gaps: readonly RangeSet[]) => readonly PlannedStretch[],
): Promise<Batch<Destination>[]> {
  const byId = new Map(series.map((each) => [each.id, each]));
  const groups = await ctx.ledger.coverage.readGaps({
    stream: stream.name,
    stores: ctx.stores.map((store) => store.id),
    seriesIds: [...byId.keys()],
    wanted: [wanted],
  });
  const withGaps = new Set(groups.flatMap((group) => group.seriesIds));
  const complete = {
    seriesIds: [...byId.keys()].filter((id) => !withGaps.has(id)),
    gaps: ctx.stores.map(() => []),
  };
  return [...groups, complete].flatMap((group) => {
    const members = group.seriesIds.flatMap((id) => byId.get(id) ?? []);
    return batchesOf(members, stretchesOf(group.gaps));
  });
}

/**
 * Returns the stretches, and the stores that get them. A store gets what it lacks and what is read again,
 * except points that are too old for it.
 */
function stretchesOf(
  ctx: SyncContext,
  stream: HistoryStream,
  { gaps, again }: { gaps: readonly RangeSet[]; again: RangeSet },
): PlannedStretch[] {
  const { stores } = ctx;
  const { stepSec } = stream;
  const wanted = stores.map((store, k) =>
    clipByRetention(ctx, store, { ranges: unite(gaps[k] ?? [], again), stepSec }),
  );
  return overlay([...wanted, ...gaps]).flatMap(({ range, members }) => {
    const takers = stores.filter((_, k) => members.includes(k));
    const fresh = takers.every((store) => members.includes(stores.length + stores.indexOf(store)));
    return takers.length === 0 ? [] : [{ range, destination: { stream, stores: takers, fresh } }];
  });
}

/** Returns a key that tells sets of stores apart. */
export function keyOfStores(stores: Destination['stores']): string {
  return stores.map(({ id }) => id).join('\n');
}

/** Makes batches of at most `SERIES_PER_READ` series for each destination. */
function batchesOf(series: readonly Series[], stretches: readonly PlannedStretch[]): Batch<Destination>[] {
  const chunks = chunksOf(series);
  const groups = groupBy(
    stretches,
    ({ destination: { fresh, stores } }) => `${fresh}\n${keyOfStores(stores)}`,
  );
  return groups.flatMap((group) => {
    const tag = group[0].destination;
    const missing = toRangeSet(group.map(({ range }) => range));
    return chunks.map((chunk) => ({ series: chunk, missing, tag, stepSec: tag.stream.stepSec }));
  });
}

/**
 * Divides series into chunks for one request each. Series with the same dotted name never share a chunk,
 * because their rows could not be told apart.
 */
function chunksOf(series: readonly Series[]): Series[][] {
  const chunks: { names: Set<string>; series: Series[] }[] = [];
  for (const each of series) {
    const name = seriesName(each);
    let chunk = chunks.at(-1);
    if (chunk === undefined || chunk.series.length >= SERIES_PER_READ || chunk.names.has(name)) {
      chunk = { names: new Set(), series: [] };
      chunks.push(chunk);
    }
    chunk.names.add(name);
    chunk.series.push(each);
  }
  return chunks.map((chunk) => chunk.series);
}
