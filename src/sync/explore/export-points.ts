import type { PointStore } from '../../load/stores/store.ts';
import { alignUp, type HistoryStream } from '../../series/history-stream.ts';
import { type RangeSet, subtract, toRangeSet } from '../../series/range.ts';
import { type Range, type Series, type SeriesPoints, seriesName } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { seriesOf } from '../selection/history-streams.ts';
import { matchSeries } from '../selection/select-series.ts';
import { newestGaps } from '../status/list-gaps.ts';

export type ExportContext = Pick<SyncContext, 'catalog' | 'ledger' | 'clock' | 'platform' | 'config'>;

/** The points that are asked for. */
export interface ExportQuestion extends Range {
  readonly objects: string;
  readonly properties: string;
  readonly store: PointStore;
  readonly stream: HistoryStream;
}

/** The series whose points are exported, and what of the range is not stored. */
export interface ExportPlan {
  readonly series: readonly Series[];
  /** The ranges that are not stored, by series, without those that the next run reads. */
  readonly missing: readonly { readonly series: string; readonly ranges: RangeSet }[];
  /** Seconds up to the end of the range that the next run reads. */
  readonly behindSec: number;
}

/**
 * Finds the series to export, ordered by their names, and what of the range is not stored. These are the
 * selected series, and those that are selected no more but have stored ranges.
 */
export async function planExport(ctx: ExportContext, question: ExportQuestion): Promise<ExportPlan> {
  const { store, stream } = question;
  const series = await findSeries(ctx, question);
  const newest = newestGaps(ctx, stream.stepSec);
  const wanted = toRangeSet([
    {
      from: alignUp(question.from, stream.stepSec),
      to: Math.min(alignUp(question.to, stream.stepSec), newest.headUs),
    },
  ]);
  const kept = clipByRetention(ctx, store, { ranges: wanted, stepSec: stream.stepSec });
  const dropped = subtract(wanted, kept);
  const covered = await ctx.ledger.coverage.read({
    store: store.id,
    stream: stream.name,
    seriesIds: series.map(({ id }) => id),
  });
  let behindUs = 0;
  const missing = series.flatMap((each) => {
    const gaps = [...dropped, ...subtract(kept, toRangeSet(covered.get(each.id) ?? []))];
    const ranges = toRangeSet(gaps).filter((gap) => {
      if (gap.to <= newest.endUs || gap.to - gap.from >= newest.widthUs) return true;
      behindUs = Math.max(behindUs, gap.to - gap.from);
      return false;
    });
    return ranges.length === 0 ? [] : [{ series: seriesName(each), ranges }];
  });
  return { series, missing, behindSec: behindUs / 1e6 };
}

async function findSeries(
  ctx: ExportContext,
  { objects, properties, store, stream }: ExportQuestion,
): Promise<readonly Series[]> {
  const selected = await ctx.catalog.select({ objects, properties });
  const found = new Map(
    selected
      .filter(({ selection }) => selection.history.enabled)
      .flatMap(({ series }) => seriesOf(stream, series))
      .map((series) => [series.id, series]),
  );
  const matches = matchSeries({ objects, properties });
  const others = (await ctx.ledger.series.listAll()).filter((each) => !found.has(each.id) && matches(each));
  const stored = await ctx.ledger.coverage.read({
    store: store.id,
    stream: stream.name,
    seriesIds: others.map(({ id }) => id),
  });
  for (const each of others) if ((stored.get(each.id)?.length ?? 0) > 0) found.set(each.id, each);
  return [...found.values()].sort((a, b) => compare(a.object, b.object) || compare(a.property, b.property));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The most series of one read. It takes few if they have many points, so that no server sorts much. */
const MOST_SERIES = 200;
const MANY_POINTS = 20_000;

/**
 * Reads all points of some series, one series or some series at a time. The parts have a bounded size. A
 * consumer that waits makes the store wait.
 */
export async function* readExport(
  { store, stream, from, to }: Pick<ExportQuestion, 'store' | 'stream' | 'from' | 'to'>,
  series: readonly Series[],
): AsyncGenerator<SeriesPoints> {
  let size = 1;
  for (let at = 0; at < series.length; ) {
    const some = series.slice(at, at + size);
    let points = 0;
    for await (const part of store.read({ stream: stream.name, series: some, range: { from, to } })) {
      points += part.times.length;
      yield part;
    }
    at += some.length;
    size = points > MANY_POINTS ? Math.max(1, size >> 1) : Math.min(MOST_SERIES, size * 2);
  }
}
