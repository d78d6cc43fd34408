import type { ChangeCounts } from '../../ledger/changes.ts';
import type { Pause } from '../../ledger/control.ts';
import type { DriftRecord } from '../../ledger/drift.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { ServiceRecord } from '../../ledger/services.ts';
import { alignDown } from '../../series/history-stream.ts';
import { type RangeSet, toRangeSet, unite, widthOf } from '../../series/range.ts';
import { type Range, seriesName } from '../../series/types.ts';
import { type AlarmStatus, eventStoresOf, listAlarmGaps, readAlarmStatus } from '../alarms/alarm-status.ts';
import { platformNow, type SyncContext } from '../context.ts';
import { type FillOrder, planHistory } from '../history/fill-history.ts';
import { describeUnreadDirectory } from '../needed-first.ts';
import { CURRENT, LOST_POLLS } from '../polls/write-poll.ts';
import { type Emptiness, explainSelections } from '../selection/empty-selection.ts';
import { type LeftOut, nameOfSelection, type SeriesFilter } from '../selection/series-catalog.ts';
import { readStreamStatus, recentSince, type StreamStatus } from './stream-status.ts';

/** What `plantsync status` shows. */
export interface Status {
  /** Epoch microseconds. */
  readonly at: number;
  /** The streams of the directory, parents first. */
  readonly streams: StreamStatus[];
  /** The newest run of every stream and kind, newest first. */
  readonly runs: RunRecord[];
  /** Backfills that are running, in any process. */
  readonly backfills: RunRecord[];
  /** The processes of the service, and what they have found to be overdue. */
  readonly services: ServiceRecord[];
  /** What the service does not begin. */
  readonly pauses: Pause[];
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
  /** Polled values that were dropped while Postgres was away. */
  readonly lostPolledValues: number;
  /** Polls left out because the one before took longer than its period, since a time (epoch microseconds), by the kind of their run. */
  readonly skippedPolls: readonly { kind: string; skipped: number; since: number }[];
  readonly history: Omit<GapReport, 'gaps'> & {
    /** Hours that are wanted and not stored, over all series, by store. */
    readonly missingHours: Record<string, number>;
  };
}

/** Missing ranges of one series in one store; the history of alarms is a series of that name. */
export interface SeriesGaps {
  readonly store: string;
  /** Raw history, one of its aggregates, or the history of alarms: `history`, `history/300s/mean`, `alarms`. */
  readonly stream: string;
  readonly series: string;
  readonly ranges: RangeSet;
}

/** What is missing of history, and of how many series that speaks. */
export interface GapReport {
  /** Series that are wanted. */
  readonly series: number;
  /** Selections of the configuration that no series matches, as `objects/properties`. */
  readonly unmatched: string[];
  /** Why no series is wanted; undefined if any is. */
  readonly nothing: Emptiness | undefined;
  /** One sentence for each selection without series. */
  readonly empty: string[];
  /** Why there may be more series than are known, in one sentence; undefined if the directory was read whole. */
  readonly unread?: string | undefined;
  /** Properties that no selection reads. */
  readonly leftOut: LeftOut;
  readonly gaps: SeriesGaps[];
  /** Seconds since the newest data that are not read yet, at most: the next run reads them. */
  readonly behindSec: number;
}

/** Cases of refused or lost polls that are looked at: more than there ever are. */
const CASES_READ = 10_000;
/** A gap that reaches to now and is shorter than this is not missing, only not read yet. */
const NEWEST_MICROS = 600e6;
/** Distance from now at which a gap still reaches to now: `settle`, and the time since the plan was made. */
const NOW_MICROS = 60e6;

export async function readStatus(ctx: SyncContext): Promise<Status> {
  const report = await listGaps(ctx);
  const missingHours: Record<string, number> = Object.fromEntries(ctx.stores.map((store) => [store.id, 0]));
  for (const { store, ranges } of report.gaps)
    missingHours[store] = (missingHours[store] ?? 0) + widthOf(ranges) / 3.6e9;
  const { gaps: _, ...told } = report;
  const polled = await explainSelections(ctx, { purpose: 'current' });
  const empty = [...new Set([...report.empty, ...polled.empty])];
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
    backfills: await ledger.runs.readRunning('backfill'),
    services: await ledger.services.read(),
    pauses: await ledger.control.readPauses(),
    changes: Object.fromEntries(facts.changes),
    drift: facts.drift,
    rejects: Object.fromEntries(facts.rejects),
    outbox: Object.fromEntries([...outbox].filter(([store]) => !ofEvents.has(store))),
    alarms: await readAlarmStatus(ctx, outbox),
    lostPolledValues: await countLostValues(ctx),
    skippedPolls: await ledger.runs.readSkippedPolls(),
    history: { ...told, empty, missingHours },
  };
}

async function countLostValues({ ledger }: SyncContext): Promise<number> {
  const cases = await ledger.rejects.list({ stream: CURRENT, limit: CASES_READ });
  return cases.filter(({ kind }) => kind === LOST_POLLS).reduce((sum, { count }) => sum + count, 0);
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
  // Of an aggregate, what is newer than its last whole bucket is not wanted yet.
  const headOf = (stepSec: number) => (stepSec === 1 ? now : alignDown(now - settleOf(ctx), stepSec));
  const isNewest = ({ from, to }: Range, stepSec: number) =>
    headOf(stepSec) - to < NOW_MICROS + settleOf(ctx) &&
    to - from < Math.max(NEWEST_MICROS, 2 * stepSec * 1e6);
  const newest = found.flatMap(({ ranges, stepSec }) =>
    ranges.filter((gap) => isNewest(gap, stepSec)).map(({ from }) => headOf(stepSec) - from),
  );
  const gaps = found
    .map(({ stepSec, ...each }) => ({
      ...each,
      ranges: each.ranges.filter((gap) => !isNewest(gap, stepSec)),
    }))
    .filter(({ ranges }) => ranges.length > 0);
  const { objects, properties } = range ?? {};
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

function settleOf(ctx: SyncContext): number {
  const { runtime, alarms } = ctx.config;
  return Math.max(...[...runtime, alarms].map(({ history }) => history.settleMs * 1000));
}

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
