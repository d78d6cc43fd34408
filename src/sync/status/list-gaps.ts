import type { Selection } from '../../config/config-schema.ts';
import type { LeftOut } from '../../load/rows/count-selected.ts';
import { alignDown } from '../../series/history-stream.ts';
import type { RangeSet } from '../../series/range.ts';
import { type Range, seriesName } from '../../series/types.ts';
import { listAlarmGaps } from '../alarms/alarm-status.ts';
import { platformNow, type SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { countChosen } from '../selection/count-chosen.ts';
import { type Emptiness, explainSelections } from '../selection/empty-selection.ts';
import { type CoverageFilter, orderOfLook, rangesOf } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { describeUnreadDirectory } from '../selection/needed-first.ts';
import { nameOfSelection, type SelectedSeries } from '../selection/series-catalog.ts';

/** Missing ranges of one series in one store. The history of alarms is a series named `alarms`. */
export interface SeriesGaps {
  readonly store: string;
  /** Name of the stream: raw history, an aggregate, or alarms: `history`, `history/300s/mean`, `alarms`. */
  readonly stream: string;
  readonly series: string;
  readonly ranges: RangeSet;
}

/** The series whose history is wanted. */
export interface WantedSeries {
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
}

/** Gaps of history, and the distance to now. */
export interface FoundGaps {
  readonly gaps: SeriesGaps[];
  /** Seconds of the longest gap that reaches to now. The next run reads such gaps. */
  readonly behindSec: number;
}

/** The gaps of history, and the series that were looked at. */
export interface GapReport extends WantedSeries, FoundGaps {}

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

/**
 * Lists what is wanted and not stored, for each store and series that the filter asks for.
 */
export async function listGaps(ctx: SyncContext, filter: CoverageFilter = {}): Promise<GapReport> {
  const gaps: SeriesGaps[] = [];
  let behindSec = 0;
  for await (const page of readGapPages(ctx, filter)) {
    for (const each of page.gaps) gaps.push(each);
    behindSec = Math.max(behindSec, page.behindSec);
  }
  return { ...(await describeWanted(ctx, filter)), gaps, behindSec };
}

/** Reads the gaps of some series at a time, so that any number of them needs little memory. */
export async function* readGapPages(
  ctx: SyncContext,
  filter: CoverageFilter = {},
): AsyncGenerator<FoundGaps> {
  const { objects, properties } = filter;
  for (const selection of ctx.config.runtime)
    for await (const series of ctx.catalog.read(selection, { objects, properties }))
      yield* readPageOfGaps(ctx, { selection, series }, filter);
  if (objects !== undefined || properties !== undefined) return;
  for (const { ranges, stepSec, ...alarms } of await listAlarmGaps(ctx, filter))
    yield leaveNewest([{ ...alarms, ranges }], newestGaps(ctx, stepSec));
}

/** Describes the series that the filter asks for. */
export async function describeWanted(ctx: SyncContext, filter: CoverageFilter = {}): Promise<WantedSeries> {
  const { objects, properties } = filter;
  const counted = (await countSelections(ctx, filter)).filter(({ selection }) => selection.history.enabled);
  const series = counted.reduce((sum, { count }) => sum + count, 0);
  return {
    series,
    unmatched: counted.filter(({ count }) => count === 0).map(({ selection }) => nameOfSelection(selection)),
    ...(await explainSelections(ctx, { objects, properties, purpose: 'history' })),
    unread: series === 0 ? undefined : await describeUnreadDirectory(ctx),
    leftOut: (await countChosen(ctx)).leftOut,
  };
}

async function countSelections(ctx: SyncContext, { objects, properties }: CoverageFilter) {
  if (objects === undefined && properties === undefined)
    return (await countChosen(ctx)).selections.map(({ selection, all: { count } }) => ({ selection, count }));
  const counts: { selection: Selection; count: number }[] = [];
  for (const selection of ctx.config.runtime)
    counts.push({ selection, count: await ctx.catalog.count(selection, { objects, properties }) });
  return counts;
}

/** Reads the gaps of a page of series, for each history and store. */
async function* readPageOfGaps(
  ctx: SyncContext,
  { selection, series }: SelectedSeries,
  filter: CoverageFilter,
): AsyncGenerator<FoundGaps> {
  const order = orderOfLook(filter);
  for (const stream of streamsOf(selection.history)) {
    const own = new Map(seriesOf(stream, series).map((each) => [each.id, each]));
    const { stepSec } = stream;
    const { wanted } = rangesOf(ctx, order, { history: selection.history, stepSec });
    if (own.size === 0 || wanted.from >= wanted.to) continue;
    const groups = await ctx.ledger.coverage.readGaps({
      stream: stream.name,
      stores: ctx.stores.map(({ id }) => id),
      seriesIds: [...own.keys()],
      wanted: [wanted],
    });
    const found = groups.flatMap((group) =>
      ctx.stores.flatMap((store, k): SeriesGaps[] => {
        const ranges = clipByRetention(ctx, store, { ranges: group.gaps[k] ?? [], stepSec });
        const members = ranges.length === 0 ? [] : group.seriesIds.flatMap((id) => own.get(id) ?? []);
        const place = { store: store.id, stream: stream.name };
        return members.map((each) => ({ ...place, series: seriesName(each), ranges }));
      }),
    );
    yield leaveNewest(found, newestGaps(ctx, stepSec));
  }
}

/** Leaves out the gaps that are not missing. */
function leaveNewest(found: readonly SeriesGaps[], { headUs, endUs, widthUs }: NewestGaps): FoundGaps {
  const isNewest = ({ from, to }: Range) => to > endUs && to - from < widthUs;
  let from = headUs;
  const gaps = found.flatMap((each) => {
    const ranges = each.ranges.filter((gap) => !isNewest(gap));
    for (const gap of each.ranges) if (isNewest(gap)) from = Math.min(from, gap.from);
    return ranges.length === 0 ? [] : [{ ...each, ranges }];
  });
  return { gaps, behindSec: (headUs - from) / 1e6 };
}
