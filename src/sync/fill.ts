import { UsageError } from '../errors.ts';
import { classifyFailure, createWindowRead } from '../extract/windows.ts';
import { DividingReader } from '../series/dividing-reader.ts';
import { Knowledge } from '../series/knowledge.ts';
import type { Range } from '../series/types.ts';
import { type Batch, type PlannedWindow, WindowPlanner } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import { platformNow } from './context.ts';
import { loadLessons, saveLessons } from './lessons.ts';
import { type Destination, HISTORY, planFill } from './plan-fill.ts';
import { PointSink } from './point-sink.ts';
import { recordRun } from './run.ts';
import type { SeriesFilter } from './series-catalog.ts';
import type { RunSummary } from './summary.ts';
import { Unreadable } from './unreadable.ts';

/** What to fill. Times are epoch microseconds. */
export type FillOrder =
  | {
      readonly mode: 'increment';
      /** How far before the newest data to read again: the selection's `lookback`, its `sweep`, or not at all. */
      readonly again: 'lookback' | 'sweep' | 'none';
    }
  | ({
      readonly mode: 'backfill';
      readonly from: number;
      readonly to: number;
      /** Reads what is stored, too. */
      readonly force?: boolean;
    } & SeriesFilter);

/** Windows under way at once; with `limits.bytesInFlight` this bounds the memory. */
const WINDOWS_AT_ONCE = 8;
/** The `limit` sent is this many times the rows aimed at, so that an ordinary surprise is not cut. */
const LIMIT_FACTOR = 5;
const FIRST_SPAN_SEC = 3_600;

/** Brings history into every store that lacks it: wanted − covered → windows → points → stores → coverage. */
export async function fillHistory(ctx: SyncContext, order: FillOrder): Promise<RunSummary> {
  return recordRun(ctx, { stream: HISTORY, kind: kindOf(order) }, async (summary) => {
    const batches = await planHistory(ctx, order);
    const lessons = await loadLessons(ctx);
    const knowledge = new Knowledge(lessons);
    const limit = { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR };
    const sink = new PointSink(ctx, summary);
    const unreadable = new Unreadable();
    try {
      await readBatches(ctx, { batches, knowledge, limit, sink, unreadable });
    } finally {
      await sink.finish();
      summary.problems.push(...unreadable.describe());
      await saveLessons(ctx, knowledge.lessons);
    }
  });
}

function kindOf(order: FillOrder): string {
  return order.mode === 'increment' && order.again === 'sweep' ? 'sweep' : order.mode;
}

/** The batches that an order leads to, oldest first within each; empty if everything is stored. */
export async function planHistory(ctx: SyncContext, order: FillOrder): Promise<Batch<Destination>[]> {
  const selected = await ctx.catalog.select(order.mode === 'backfill' ? order : {});
  if (order.mode === 'backfill' && selected.every(({ series }) => series.length === 0)) {
    throw new UsageError(
      `no series matches --object ${order.objects ?? '*'} --property ${order.properties ?? '*'}: run "plantsync sync objects object_properties" if the directory is not read yet, or name objects and properties in full under "runtime"`,
    );
  }
  const batches: Batch<Destination>[] = [];
  for (const { selection, series } of selected) {
    if (series.length === 0 || !selection.history.enabled) continue;
    const { wanted, again } = rangesOf(ctx, selection.history, order);
    if (wanted.from < wanted.to) batches.push(...(await planFill(ctx, { series, wanted, again })));
  }
  return batches;
}

type HistorySettings = SyncContext['config']['runtime'][number]['history'];

function rangesOf(
  ctx: SyncContext,
  history: HistorySettings,
  order: FillOrder,
): { wanted: Range; again: Range | undefined } {
  const head = wholeSecond(platformNow(ctx) - history.settleMs * 1000);
  if (order.mode === 'backfill') {
    const wanted = { from: wholeSecond(order.from), to: Math.min(Math.ceil(order.to / 1e6) * 1e6, head) };
    return { wanted, again: order.force ? wanted : undefined };
  }
  const from = 'at' in history.start ? history.start.at : head - history.start.backMs * 1000;
  const backMs = { lookback: history.lookbackMs, sweep: history.sweep.rangeMs, none: 0 }[order.again];
  return {
    wanted: { from: wholeSecond(from), to: head },
    again: { from: wholeSecond(head - backMs * 1000), to: head },
  };
}

function wholeSecond(micros: number): number {
  return Math.floor(micros / 1e6) * 1e6;
}

interface Reading {
  readonly batches: readonly Batch<Destination>[];
  readonly knowledge: Knowledge;
  readonly limit: { current: number };
  readonly sink: PointSink;
  readonly unreadable: Unreadable;
}

async function readBatches(ctx: SyncContext, reading: Reading): Promise<void> {
  const { batches, knowledge } = reading;
  const { rowsPerRead, bytesInFlight } = ctx.config.limits;
  const goals = { rows: rowsPerRead, bytes: bytesInFlight / WINDOWS_AT_ONCE, firstSpanSec: FIRST_SPAN_SEC };
  const planner = new WindowPlanner(batches, goals, knowledge);
  const line = ctx.progress.start(HISTORY, seriesHoursOf(batches), 'series-hours');
  const underWay = new Set<Promise<void>>();
  try {
    for (;;) {
      ctx.signal.throwIfAborted();
      const window = underWay.size < WINDOWS_AT_ONCE ? planner.take() : undefined;
      if (window !== undefined) {
        const work = readWindow(ctx, { ...reading, planner, window }).then(() => {
          underWay.delete(work);
          line.add((window.series.length * (window.toSec - window.fromSec)) / 3600);
        });
        underWay.add(work);
      } else if (underWay.size > 0) await Promise.race(underWay);
      else return;
    }
  } finally {
    await Promise.allSettled(underWay);
    line.finish();
  }
}

async function readWindow(
  ctx: SyncContext,
  reading: Reading & { planner: WindowPlanner<Destination>; window: PlannedWindow<Destination> },
): Promise<void> {
  const { knowledge, limit, planner, window, sink, unreadable } = reading;
  if (!sink.accepts(window.batch.tag)) return;
  let bytes = 0;
  const size = { rows: 0, seriesRows: 0 };
  const read = createWindowRead({
    platform: ctx.platform,
    parseInstant: ctx.parseInstant,
    signal: ctx.signal,
    onReject: (seriesId, row) => sink.rejectTime(window, seriesId, row),
    onBytes: (count) => {
      bytes = Math.max(bytes, count);
    },
  });
  const reader = new DividingReader({
    read,
    classify: classifyFailure,
    knowledge,
    limit,
    onComplete: async (part, rows) => {
      for (const { times } of rows.values()) {
        size.rows += times.length;
        size.seriesRows = Math.max(size.seriesRows, times.length);
      }
      await sink.write(part, rows, window.batch.tag);
    },
    onUnreadable: async (part, reason) => {
      planner.noteFailure(window);
      unreadable.add(part, reason);
    },
  });
  await reader.readWindow(window);
  planner.note(window, size, bytes);
}

/** Amount of work of a plan: hours of time, for each series. */
export function seriesHoursOf(batches: readonly Batch<Destination>[]): number {
  return batches.reduce(
    (sum, { series, missing }) =>
      sum + (series.length * missing.reduce((width, r) => width + r.to - r.from, 0)) / 3.6e9,
    0,
  );
}
