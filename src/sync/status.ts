import type { ChangeCounts } from '../ledger/changes.ts';
import type { DriftRecord } from '../ledger/drift.ts';
import type { RunRecord } from '../ledger/runs.ts';
import { type RangeSet, toRangeSet, unite, widthOf } from '../series/range.ts';
import { type Range, seriesName } from '../series/types.ts';
import { type AlarmStatus, eventStoresOf, listAlarmGaps, readAlarmStatus } from './alarm-status.ts';
import { platformNow, type SyncContext } from './context.ts';
import { type FillOrder, planHistory } from './fill.ts';
import { nameOfSelection, type SeriesFilter } from './series-catalog.ts';
import { readStreamStatus, recentSince, type StreamStatus } from './stream-status.ts';

/** What `plantsync status` shows. */
export interface Status {
  /** Epoch microseconds. */
  readonly at: number;
  /** The streams of the directory, parents first. */
  readonly streams: StreamStatus[];
  /** The newest run of every stream and kind, newest first. */
  readonly runs: RunRecord[];
  /** Changes of the last 24 hours by table, the tables of parts among them. */
  readonly changes: Record<string, ChangeCounts>;
  /** Where records differ from what is declared. */
  readonly drift: DriftRecord[];
  /** Open rejects, by stream. */
  readonly rejects: Record<string, number>;
  /** Polls that wait for a store, by store. */
  readonly outbox: Record<string, number>;
  /** Undefined where no alarm was ever read. */
  readonly alarms: AlarmStatus | undefined;
  readonly history: Pick<GapReport, 'series' | 'unmatched' | 'behindSec'> & {
    /** Hours that are wanted and not stored, over all series, by store. */
    readonly missingHours: Record<string, number>;
  };
}

/** Missing ranges of one series in one store; the history of alarms is a series of that name. */
export interface SeriesGaps {
  readonly store: string;
  readonly series: string;
  readonly ranges: RangeSet;
}

/** What is missing of history, and of how many series that speaks. */
export interface GapReport {
  /** Series that are wanted. */
  readonly series: number;
  /** Selections of the configuration that no series matches, as `objects/properties`. */
  readonly unmatched: string[];
  readonly gaps: SeriesGaps[];
  /** Seconds since the newest data that are not read yet, at most: the next run reads them. */
  readonly behindSec: number;
}

/** A gap that reaches to now and is shorter than this is not missing, only not read yet. */
const NEWEST_MICROS = 600e6;
/** Distance from now at which a gap still reaches to now: `settle`, and the time since the plan was made. */
const NOW_MICROS = 60e6;

export async function readStatus(ctx: SyncContext): Promise<Status> {
  const report = await listGaps(ctx);
  const missingHours: Record<string, number> = Object.fromEntries(ctx.stores.map((store) => [store.id, 0]));
  for (const { store, ranges } of report.gaps)
    missingHours[store] = (missingHours[store] ?? 0) + widthOf(ranges) / 3.6e9;
  const { series, unmatched, behindSec } = report;
  const { ledger } = ctx;
  const facts = {
    runs: await ledger.runs.readLast(),
    successes: await ledger.runs.readLastSuccesses(),
    rejects: await ledger.rejects.countOpen(),
    changes: await ledger.changes.countSince(recentSince(ctx)),
    drift: await ledger.drift.list(),
  };
  const outbox = await ledger.outbox.count();
  const ofEvents = eventStoresOf(ctx);
  return {
    at: ctx.clock(),
    streams: await readStreamStatus(ctx, facts),
    runs: facts.runs,
    changes: Object.fromEntries(facts.changes),
    drift: facts.drift,
    rejects: Object.fromEntries(facts.rejects),
    outbox: Object.fromEntries([...outbox].filter(([store]) => !ofEvents.has(store))),
    alarms: await readAlarmStatus(ctx, outbox),
    history: { series, unmatched, behindSec, missingHours },
  };
}

/** What is wanted (or, given a range, what lies in it) and not stored, for each store and series. */
export async function listGaps(ctx: SyncContext, range?: Range & SeriesFilter): Promise<GapReport> {
  const order: FillOrder =
    range === undefined ? { mode: 'increment', again: 'none' } : { mode: 'backfill', ...range };
  const selected = (await ctx.catalog.select(range ?? {})).filter(
    ({ selection }) => selection.history.enabled,
  );
  const series = selected.reduce((sum, each) => sum + each.series.length, 0);
  const unmatched = selected
    .filter((each) => each.series.length === 0)
    .map(({ selection }) => nameOfSelection(selection));
  const ofSeries = series === 0 ? [] : joinGaps(await planHistory(ctx, order));
  const ofAlarms = range?.objects === undefined && range?.properties === undefined;
  const found = [...ofSeries, ...(ofAlarms ? await listAlarmGaps(ctx, range) : [])];
  const now = platformNow(ctx);
  const isNewest = ({ from, to }: Range) =>
    now - to < NOW_MICROS + settleOf(ctx) && to - from < NEWEST_MICROS;
  const newest = found.flatMap(({ ranges }) => ranges.filter(isNewest));
  const gaps = found
    .map((each) => ({ ...each, ranges: each.ranges.filter((gap) => !isNewest(gap)) }))
    .filter(({ ranges }) => ranges.length > 0);
  return { series, unmatched, gaps, behindSec: Math.max(0, ...newest.map(({ from }) => (now - from) / 1e6)) };
}

function settleOf(ctx: SyncContext): number {
  const { runtime, alarms } = ctx.config;
  return Math.max(...[...runtime, alarms].map(({ history }) => history.settleMs * 1000));
}

function joinGaps(batches: Awaited<ReturnType<typeof planHistory>>): SeriesGaps[] {
  const gaps = new Map<string, SeriesGaps>();
  for (const { series, missing, tag } of batches)
    for (const store of tag.stores)
      for (const each of series) {
        const key = `${store.id}\n${each.id}`;
        const ranges = unite(gaps.get(key)?.ranges ?? [], toRangeSet(missing));
        gaps.set(key, { store: store.id, series: seriesName(each), ranges });
      }
  return [...gaps.values()];
}
