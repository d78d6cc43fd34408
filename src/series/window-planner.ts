import { alignOutwards } from './history-stream.ts';
import { type RangeSet, subtract, toRangeSet, unite, widthOf } from './range.ts';
import type { ReplySize, ReplySizes } from './reply-sizes.ts';
import type { Series } from './types.ts';
import { rangeOf, spanOf, type Window } from './window.ts';

/** Series that are asked for together, and the ranges that are missing of all of them alike. */
export interface Batch<Tag> {
  readonly series: readonly Series[];
  /**
   * The missing ranges in epoch microseconds. The planner rounds them outwards to whole seconds, or to steps.
   */
  readonly missing: RangeSet;
  /** Windows begin and end at multiples of this many seconds. The default is 1. */
  readonly stepSec?: number | undefined;
  /** Data of the caller, which comes back with each window of this batch. */
  readonly tag: Tag;
}

/** Returns how much is missing, as the hours of each series added up. */
export function seriesHoursOf(batches: readonly Pick<Batch<unknown>, 'series' | 'missing'>[]): number {
  return batches.reduce((sum, { series, missing }) => sum + series.length * widthOf(missing), 0) / 3.6e9;
}

export interface PlannedWindow<Tag> extends Window {
  readonly batch: Batch<Tag>;
}

/** The size that the planner wants replies to have. */
export interface Goals {
  readonly rows: number;
  readonly bytes: number;
  /** Width of the very first window, when no density is known. */
  readonly firstSpanSec: number;
  /**
   * Rows of a series in an hour, as earlier fillings showed. If given, it decides the width of first windows.
   */
  readonly rowsPerSeriesHour?: number | undefined;
}

/** Rows per second of a batch, as its replies showed. */
interface Density {
  readonly rows: number;
  /** Rows per second of the densest series. */
  readonly seriesRows: number;
  readonly lastSpanSec: number;
}

interface Lane<Tag> {
  readonly batch: Batch<Tag>;
  /** The ranges from which no window was taken yet, in whole seconds. */
  rest: RangeSet;
  density: Density | undefined;
  probing: boolean;
  /**
   * Number of windows that were put back and not resumed. While there are any, no window of the batch is
   * taken.
   */
  held: number;
}

/** A window is at most this many times as wide as the one before it, because density may jump. */
const MAX_GROWTH = 4;
/** If proven replies reach this share of the goal, later windows stay below the proven size. */
const PROVEN_ENOUGH = 0.98;
/** A density that grows by more than this factor is no noise. */
const STEEP_RISE = 1.25;
/** Windows aim at this share of a proven size or a cap, so that ordinary noise does not exceed it. */
const MARGIN = 0.98;

/**
 * Cuts windows from the missing ranges, oldest first. Windows are so wide that a typical reply reaches the
 * goals, but does not exceed the size that the platform was proven to return.
 *
 * States of a batch:
 *
 *            take               note
 *    NEW ───────────► PROBING ───────────► MEASURED ──► take again
 *     ▲                  │
 *     └──────────────────┘ skip, noteFailure
 *
 *    any state ── putBack ──► HELD ── resume ──► NEW or MEASURED
 *
 * - NEW: no reply has shown the density of the batch; the next window has an expected or the first width.
 * - PROBING: the first window is under way, and no second one is taken.
 * - MEASURED: replies have shown the density, which decides the width; any number of windows is under way.
 * - HELD: no window is taken until every window that was put back is resumed.
 */
export class WindowPlanner<Tag> {
  readonly #lanes: ReadonlyMap<Batch<Tag>, Lane<Tag>>;
  readonly #goals: Goals;
  readonly #replySizes: ReplySizes;
  #bytesPerRow = 0;
  /** Factor on the width of windows. It is halved when a window fails for its size, and grows back slowly. */
  #sizeFactor = 1;

  constructor(batches: readonly Batch<Tag>[], goals: Goals, replySizes: ReplySizes) {
    this.#lanes = new Map(
      batches.map((batch) => [
        batch,
        { batch, rest: wholeSteps(batch), density: undefined, probing: false, held: 0 },
      ]),
    );
    this.#goals = goals;
    this.#replySizes = replySizes;
  }

  /**
   * Takes the next window to read, the oldest of all batches. Returns undefined if nothing is left, or if all
   * batches that have something left are probing or held.
   */
  take(): PlannedWindow<Tag> | undefined {
    let oldest: Lane<Tag> | undefined;
    for (const lane of this.#lanes.values()) {
      const start = lane.rest[0]?.from;
      if (start === undefined || lane.probing || lane.held > 0) continue;
      if (start < (oldest?.rest[0]?.from ?? Number.POSITIVE_INFINITY)) oldest = lane;
    }
    return oldest && this.#cut(oldest);
  }

  /** Notes the reply to a window, so that the next windows get the right width. */
  note(window: PlannedWindow<Tag>, size: ReplySize, bytesPerRow: number | undefined): void {
    const lane = this.#lanes.get(window.batch);
    if (lane === undefined) return;
    const spanSec = spanOf(window);
    const before = lane.density;
    lane.probing = false;
    lane.density = {
      rows: blend(before?.rows, size.rows / spanSec),
      seriesRows: blend(before?.seriesRows, size.seriesRows / spanSec),
      lastSpanSec: spanSec,
    };
    if (bytesPerRow !== undefined) this.#bytesPerRow = blend(this.#bytesPerRow || undefined, bytesPerRow);
    this.#sizeFactor = Math.min(1, this.#sizeFactor * 1.1);
  }

  /**
   * Notes that a window was not read, or not as a whole. No density is learnt, but the next window may be
   * wider.
   */
  skip(window: PlannedWindow<Tag>): void {
    const lane = this.#lanes.get(window.batch);
    if (lane === undefined) return;
    lane.probing = false;
    const { density } = lane;
    const spanSec = spanOf(window);
    if (density && density.lastSpanSec < spanSec) lane.density = { ...density, lastSpanSec: spanSec };
  }

  /**
   * Puts back a window that cannot be read yet, so that it is taken again later. Until `resume`, no window of
   * its batch is taken.
   */
  putBack(window: PlannedWindow<Tag>): void {
    const lane = this.#lanes.get(window.batch);
    if (lane === undefined) return;
    lane.probing = false;
    lane.held += 1;
    lane.rest = unite(lane.rest, [rangeOf(window)]);
  }

  /** Ends the wait for a window that was put back. */
  resume(window: PlannedWindow<Tag>): void {
    const lane = this.#lanes.get(window.batch);
    if (lane !== undefined) lane.held -= 1;
  }

  /** Notes a request of this window that failed, perhaps for its size. */
  noteFailure(window: PlannedWindow<Tag>): void {
    const lane = this.#lanes.get(window.batch);
    if (lane !== undefined) lane.probing = false;
    this.#sizeFactor = Math.max(1 / 1024, this.#sizeFactor / 2);
  }

  #cut(lane: Lane<Tag>): PlannedWindow<Tag> | undefined {
    const stretch = lane.rest[0];
    if (stretch === undefined) return undefined;
    const { batch } = lane;
    const { stepSec = 1 } = batch;
    const fromSec = stretch.from / 1e6;
    const spanSec = Math.max(1, Math.floor(this.#spanSecOf(lane) / stepSec)) * stepSec;
    const toSec = Math.min(stretch.to / 1e6, fromSec + spanSec);
    const window = { batch, series: batch.series, fromSec, toSec, stepSec: batch.stepSec };
    lane.rest = subtract(lane.rest, [rangeOf(window)]);
    lane.probing = lane.density === undefined;
    return window;
  }

  #spanSecOf(lane: Lane<Tag>): number {
    if (this.#replySizes.readsOn) return Number.POSITIVE_INFINITY;
    const density = lane.density ?? this.#expectedDensity(lane.batch.series.length);
    const growth = lane.density ? lane.density.lastSpanSec * MAX_GROWTH : this.#goals.firstSpanSec;
    if (density === undefined) return Math.max(1, Math.floor(growth * this.#sizeFactor));
    const { rows, seriesRows } = this.#aims();
    // Without rows only the growth bounds the width.
    const fitting = Math.min(rows / (density.rows || 1e-12), seriesRows / (density.seriesRows || 1e-12));
    const widest = lane.density ? growth : Math.max(growth, fitting);
    return Math.max(1, Math.floor(Math.min(fitting * this.#sizeFactor, widest)));
  }

  /** Returns the size of reply to aim at: the goal until it is proven, then just below the proven size. */
  #aims(): ReplySize {
    const { proven, cap } = this.#replySizes.learned;
    const byBytes = this.#bytesPerRow > 0 ? this.#goals.bytes / this.#bytesPerRow : Number.POSITIVE_INFINITY;
    const goal = Math.max(
      1,
      Math.min(this.#goals.rows, byBytes, (cap.rows ?? Number.POSITIVE_INFINITY) * MARGIN),
    );
    const rows = proven.rows >= goal * PROVEN_ENOUGH ? Math.min(goal, proven.rows * MARGIN) : goal;
    return { rows, seriesRows: (cap.seriesRows ?? Number.POSITIVE_INFINITY) * MARGIN };
  }

  /**
   * Returns the density to expect of a batch without a reply: that of the other batches, else that of earlier
   * fillings. Returns undefined if neither is known.
   */
  #expectedDensity(series: number): Density | undefined {
    const known = [...this.#lanes.values()].filter((lane) => lane.density !== undefined);
    if (known.length === 0) {
      const { rowsPerSeriesHour } = this.#goals;
      if (rowsPerSeriesHour === undefined) return undefined;
      const seriesRows = rowsPerSeriesHour / 3600;
      return { rows: seriesRows * series, seriesRows, lastSpanSec: 0 };
    }
    const rows =
      sum(known.map((lane) => lane.density?.rows ?? 0)) / sum(known.map((lane) => lane.batch.series.length));
    const seriesRows = Math.max(...known.map((lane) => lane.density?.seriesRows ?? 0));
    return { rows: rows * series, seriesRows, lastSpanSec: 0 };
  }
}

/**
 * Returns the new average of a value. It follows a rise at once, since a window too wide costs most.
 * Otherwise it takes the mean, so that noise does not make windows narrow.
 */
function blend(before: number | undefined, now: number): number {
  return before === undefined || now > before * STEEP_RISE ? now : (before + now) / 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function wholeSteps({ missing, stepSec = 1 }: Batch<unknown>): RangeSet {
  return toRangeSet(missing.map((range) => alignOutwards(range, stepSec)));
}
