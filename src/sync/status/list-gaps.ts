import { alignDown } from '../../series/history-stream.ts';
import { type RangeSet, toRangeSet, unite } from '../../series/range.ts';
import { type Range, seriesName } from '../../series/types.ts';
import { listAlarmGaps } from '../alarms/alarm-status.ts';
import { platformNow, type SyncContext } from '../context.ts';
import { planHistory } from '../history/fill-history.ts';
import { type Emptiness, explainSelections } from '../selection/empty-selection.ts';
import { type CoverageFilter, orderOfLook } from '../selection/fill-order.ts';
import { describeUnreadDirectory } from '../selection/needed-first.ts';
import { type LeftOut, nameOfSelection } from '../selection/series-catalog.ts';

/** Missing ranges of one series in one store. The history of alarms is a series named `alarms`. */
export interface SeriesGaps {
  readonly store: string;
  /** Name of the stream: raw history, an aggregate, or alarms: `history`, `history/300s/mean`, `alarms`. */
  readonly stream: string;
  readonly series: string;
  readonly ranges: RangeSet;
}

/** The gaps of history, and the series that were looked at. */
export interface GapReport {
  /** Number of series that are wanted. */
  readonly series: number;
  /** Selections of the configuration that no series matches, as `objects/properties`. */
  readonly unmatched: string[];
  /** Why no series is wanted. Undefined if any series is wanted. */
  readonly nothing: Emptiness | undefined;
  /** One sentence for each selection without series. */
  readonly empty: string[];
  /**
   * Says in one sentence why there may be more series than are known. Undefined if the whole directory was
   * read.
   */
  readonly unread?: string | undefined;
  /** Properties that no selection reads. */
  readonly leftOut: LeftOut;
  readonly gaps: SeriesGaps[];
  /** Seconds of the longest gap that reaches to now. The next run reads such gaps. */
  readonly behindSec: number;
}

/** A gap that reaches to now and is shorter than this is not missing. The next run reads it. */
const NEWEST_US = 600e6;
/**
 * Time that may have passed since the plan was made. A gap that ends less than `settle` and this time before
 * now reaches to now.
 */
const NOW_US = 60e6;

/** Which gaps are not missing, because they reach to now: those that end after `endUs` within `widthUs`. */
export interface NewestGaps {
  readonly headUs: number;
  readonly endUs: number;
  readonly widthUs: number;
}

/** Tells which gaps of a stream are not missing. An aggregate has to hold whole buckets only. */
export function newestGaps(ctx: GapContext, stepSec: number): NewestGaps {
  const { runtime, alarms } = ctx.config;
  const settleUs = Math.max(...[...runtime, alarms].map(({ history }) => history.settleMs * 1000));
  const now = platformNow(ctx);
  const headUs = stepSec === 1 ? now : alignDown(now - settleUs, stepSec);
  return { headUs, endUs: headUs - NOW_US - settleUs, widthUs: Math.max(NEWEST_US, 2 * stepSec * 1e6) };
}

type GapContext = Pick<SyncContext, 'config' | 'clock' | 'platform'>;

function joinGaps(batches: Awaited<ReturnType<typeof planHistory>>): (SeriesGaps & { stepSec: number })[] {
  const gaps = new Map<string, SeriesGaps & { stepSec: number }>();
  for (const { series, missing, tag } of batches)
    for (const store of tag.stores)
      for (const each of series) {
        const { name: stream, stepSec } = tag.stream;
        const key = `${store.id}\n${stream}\n${each.id}`;
        const ranges = unite(gaps.get(key)?.ranges ?? [], toRangeSet(missing));
        gaps.set(key, { store: store.id, stream, series: seriesName(each), ranges, stepSec });
      }
  return [...gaps.values()];
}

/**
 * Lists what is wanted and not stored, for each store and series that the filter asks for.
 */
export async function listGaps(ctx: SyncContext, filter: CoverageFilter = {}): Promise<GapReport> {
  const { objects, properties } = filter;
  const selected = (await ctx.catalog.select({ objects, properties })).filter(
    ({ selection }) => selection.history.enabled,
  );
  const series = selected.reduce((sum, each) => sum + each.series.length, 0);
  const unmatched = selected
    .filter((each) => each.series.length === 0)
    .map(({ selection }) => nameOfSelection(selection));
  const ofSeries = series === 0 ? [] : joinGaps(await planHistory(ctx, orderOfLook(filter)));
  const ofAlarms = objects === undefined && properties === undefined;
  const found = [...ofSeries, ...(ofAlarms ? await listAlarmGaps(ctx, filter) : [])];
  const isNewest = ({ from, to }: Range, { endUs, widthUs }: NewestGaps) => to > endUs && to - from < widthUs;
  const newest = found.flatMap(({ ranges, stepSec }) => {
    const bounds = newestGaps(ctx, stepSec);
    return ranges.filter((gap) => isNewest(gap, bounds)).map(({ from }) => bounds.headUs - from);
  });
  const gaps = found
    .map(({ stepSec, ...each }) => ({
      ...each,
      ranges: each.ranges.filter((gap) => !isNewest(gap, newestGaps(ctx, stepSec))),
    }))
    .filter(({ ranges }) => ranges.length > 0);
  return {
    series,
    unmatched,
    ...(await explainSelections(ctx, { objects, properties, purpose: 'history' })),
    unread: series === 0 ? undefined : await describeUnreadDirectory(ctx),
    leftOut: await ctx.catalog.countLeftOut(),
    gaps,
    behindSec: Math.max(0, ...newest) / 1e6,
  };
}
