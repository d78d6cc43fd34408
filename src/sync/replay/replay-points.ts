import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import type { RejectRecord } from '../../ledger/rejects/rejects.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { alignOutwards, HISTORY, type HistoryStream } from '../../series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../series/range.ts';
import { type Range, type Series, seriesName } from '../../series/types.ts';
import type { Batch } from '../../series/window-planner.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { fillBatches } from '../history/fill-batches.ts';
import { type Destination, planFill } from '../history/plan-fill.ts';
import { recordRun } from '../record-run.ts';
import { clipByRetention } from '../retention.ts';
import type { RunSummary } from '../run-summary.ts';
import { judge, type Replay, type Replayed, readOpen } from './replay-result.ts';

const HOUR_SEC = 3_600;

/** A stream, and the time up to which it is read again. */
interface Scope {
  readonly stream: HistoryStream;
  readonly head: number;
}

/** A reject of points, and where its points belong. */
interface Place {
  readonly reject: RejectRecord;
  /** The series of the reject. A name with dots may be that of several series. */
  readonly series: readonly Series[];
  /** The stores that refused the points. All stores if the platform's row itself could not be used. */
  readonly stores: readonly PointStore[];
  /** Whole hours, so that series that were refused together are read together. */
  readonly ranges: RangeSet;
}

/**
 * Tries rejects of points again. Their ranges are uncovered in the stores that refused the points, and are
 * then read and written once more. A reject is closed if its ranges are covered again and nothing was refused
 * meanwhile. A range that cannot be read now stays a gap, so no run forgets it.
 */
export async function replayPoints(
  ctx: SyncContext,
  stream: HistoryStream,
  rejects: readonly RejectRecord[],
): Promise<Replay> {
  await askPlatformClock(ctx);
  const places = await locate(ctx, stream, rejects);
  const usable = places.filter((place) => obstacleTo(place) === undefined);
  const before = await readOpen(ctx, stream.name);
  const scope = { stream, head: headOf(ctx, stream) };
  await uncover(ctx, stream, usable);
  const run = await refillPlaces(ctx, scope, usable);
  const anew =
    run.rejects === 0
      ? []
      : [...(await readOpen(ctx, stream.name)).values()].filter(({ id }) => !before.has(id));
  const recurs = new Map(anew.map(({ key, kind, reason }) => [`${kind} ${key}`, reason]));
  const reasonOf = ({ kind, key }: RejectRecord) => recurs.get(`${kind} ${key}`);
  const uncovered = await findUncovered(ctx, scope, usable);
  await ctx.ledger.rejects.resolve(
    usable
      .map(({ reject }) => reject)
      .filter((reject) => !uncovered.has(reject.id) && reasonOf(reject) === undefined),
  );
  const obstacles = new Map(places.map((place) => [place.reject.id, obstacleTo(place)]));
  const noteOf = ({ id }: RejectRecord) =>
    obstacles.get(id) ?? run.problems[0] ?? 'the range of the points could not be read to its end';
  const cases = (await judge(ctx, rejects, noteOf)).map((each): Replayed => {
    const reason = each.outcome === 'open' ? reasonOf(each.reject) : undefined;
    return reason === undefined ? each : { ...each, outcome: 'refused', note: `now: ${reason}` };
  });
  return { cases, runs: [run] };
}

/** Says why refused points cannot be read again. Returns undefined if they can. */
function obstacleTo({ reject, series, stores, ranges }: Place): string | undefined {
  if (reject.key === '*')
    return 'the reject counts many series together; plantsync backfill --force reads a range of all series again';
  if (series.length === 0) return 'no series of this name is known';
  if (stores.length === 0) return `the configuration has no store of the kind ${reject.kind}`;
  return ranges.length === 0 ? 'nothing of the series is stored; plantsync sync reads it' : undefined;
}

/**
 * Finds the series, stores and ranges of rejects. A reject without known ranges gets everything that the
 * stores have of its series.
 */
async function locate(
  ctx: SyncContext,
  stream: HistoryStream,
  rejects: readonly RejectRecord[],
): Promise<Place[]> {
  const found = await ctx.ledger.series.findByName([...new Set(rejects.map(({ key }) => key))]);
  const covered = await readCovered(ctx, stream, found);
  return rejects.map((reject) => {
    const series = found.filter((each) => seriesName(each) === reject.key);
    const stores = ctx.stores.filter(({ kind }) => reject.kind === 'point' || reject.kind === kind);
    const ranges = reject.ranges ?? stores.flatMap((store) => series.flatMap((each) => covered(store, each)));
    return { reject, series, stores, ranges: toRangeSet(ranges.map((range) => toHours(range, stream))) };
  });
}

async function readCovered(
  ctx: SyncContext,
  stream: HistoryStream,
  series: readonly Series[],
): Promise<(store: PointStore, series: Series) => RangeSet> {
  const seriesIds = series.map(({ id }) => id);
  const byStore = new Map<PointStore, Map<number, Range[]>>();
  for (const store of ctx.stores)
    byStore.set(store, await ctx.ledger.coverage.read({ store: store.id, stream: stream.name, seriesIds }));
  return (store, { id }) => byStore.get(store)?.get(id) ?? [];
}

function toHours(range: Range, { stepSec }: HistoryStream): Range {
  return alignOutwards(alignOutwards(range, HOUR_SEC), stepSec);
}

/**
 * Uncovers the ranges of rejected points. The ledger notes unknown ranges first: once nothing is covered,
 * nothing else tells where the points lie.
 */
async function uncover(ctx: SyncContext, stream: HistoryStream, places: readonly Place[]): Promise<void> {
  for (const { reject, ranges } of places)
    if (reject.ranges === undefined) await ctx.ledger.rejects.noteRanges(reject.id, ranges);
  for (const store of ctx.stores) {
    const concerned = places.filter(({ stores }) => stores.includes(store));
    for (const { range, series } of groupByRange(concerned))
      await ctx.ledger.coverage.remove({
        store: store.id,
        stream: stream.name,
        seriesIds: series.map(({ id }) => id),
        range,
      });
  }
}

/** Groups series that have a range in common. */
function groupByRange(places: readonly Place[]): { range: Range; series: Series[] }[] {
  const bySeries = new Map<number, { series: Series; ranges: RangeSet }>();
  for (const { series, ranges } of places)
    for (const each of series)
      bySeries.set(each.id, { series: each, ranges: unite(bySeries.get(each.id)?.ranges ?? [], ranges) });
  const groups = new Map<string, { range: Range; series: Series[] }>();
  for (const { series, ranges } of bySeries.values())
    for (const range of ranges) {
      const key = `${range.from} ${range.to}`;
      const group = groups.get(key) ?? { range, series: [] };
      group.series.push(series);
      groups.set(key, group);
    }
  return [...groups.values()];
}

/** Returns the end of the data that may count as stored, in whole steps (epoch microseconds). */
function headOf(ctx: SyncContext, { stepSec }: HistoryStream): number {
  const settleMs = Math.max(0, ...ctx.config.runtime.map(({ history }) => history.settleMs));
  return settledHead(ctx, settleMs, stepSec);
}

/** Fills the gaps in the ranges of the rejected points, and no other gaps. */
function refillPlaces(
  context: SyncContext,
  { stream, head }: Scope,
  places: readonly Place[],
): Promise<RunSummary> {
  return recordRun(context, { stream: HISTORY, kind: 'replay' }, async (summary, ctx) => {
    const batches: Batch<Destination>[] = [];
    for (const { range, series } of groupByRange(places)) {
      const wanted = { from: range.from, to: Math.min(range.to, head) };
      if (wanted.from < wanted.to) batches.push(...(await planFill(ctx, { stream, series, wanted })));
    }
    await fillBatches(ctx, summary, { batches });
  });
}

/**
 * Returns the ids of the rejects whose points are not all stored again. Points that are too old for a store
 * need not be stored.
 */
async function findUncovered(
  ctx: SyncContext,
  { stream, head }: Scope,
  places: readonly Place[],
): Promise<Set<number>> {
  const covered = await readCovered(
    ctx,
    stream,
    places.flatMap(({ series }) => series),
  );
  const lacks = ({ stores, series, ranges }: Place) =>
    stores.some((store) => {
      const old = intersect(ranges, [{ from: Number.NEGATIVE_INFINITY, to: head }]);
      const wanted = clipByRetention(ctx, store, { ranges: old, stepSec: stream.stepSec });
      return series.some((each) => subtract(wanted, covered(store, each)).length > 0);
    });
  return new Set(places.filter(lacks).map(({ reject }) => reject.id));
}
