import { alignOutwards } from './history-stream.ts';
import { type RangeSet, subtract, toRangeSet, unite, widthOf } from './range.ts';
import type { ReplySize, ReplySizes } from './reply-sizes.ts';
import type { Series } from './types.ts';
import { rangeOf, spanOf, type Window } from './window.ts';

/** Series that are asked for together, and the stretches of time that are missing of all of them alike. */
export interface Batch<Tag> {
  readonly series: readonly Series[];
  /** In epoch microseconds; the planner rounds outwards to whole seconds, or steps. */
  readonly missing: RangeSet;
  /** Windows begin and end at multiples of so many seconds; one if not given. */
  readonly stepSec?: number | undefined;
  /** What the planner's user wants to know when a window of this batch comes back. */
  readonly tag: Tag;
}

/** How much is missing: hours of time, for each series. */
export function seriesHoursOf(batches: readonly Pick<Batch<unknown>, 'series' | 'missing'>[]): number {
  return batches.reduce((sum, { series, missing }) => sum + series.length * widthOf(missing), 0) / 3.6e9;
}

export interface PlannedWindow<Tag> extends Window {
  readonly batch: Batch<Tag>;
}

/** Sizes of a reply that the planner aims at. */
export interface Goals {
  readonly rows: number;
  readonly bytes: number;
  /** Width of the very first window, while no density is known. */
  readonly firstSpanSec: number;
  /** Rows of a series in an hour, if earlier fillings have shown it: first windows get their width by it. */
  readonly rowsPerSeriesHour?: number | undefined;
}

/** Rows per second, as seen in the replies. */
interface Density {
  readonly rows: number;
  /** Of the densest series. */
  readonly seriesRows: number;
  readonly lastSpanSec: number;
}

interface Lane<Tag> {
  readonly batch: Batch<Tag>;
  /** What is still to be taken; whole seconds. */
  rest: RangeSet;
  density: Density | undefined;
  probing: boolean;
  /** Windows that were put back, and keep the batch from being taken. */
  held: number;
}

/** A window is at most so many times as wide as the one before it: density may jump. */
const MAX_GROWTH = 4;
/** Replies of this share of the goal count as proven enough to stay below them. */
const PROVEN_ENOUGH = 0.98;
/** A density that grows by more than this is no noise. */
const STEEP_RISE = 1.25;
/** Distance kept below a proven size, so that ordinary noise does not exceed it. */
const MARGIN = 0.98;

/**
 * Cuts windows from what is missing, oldest first, so wide that a typical reply reaches the goals without exceeding what
 * the platform was proven to return. Until the first reply to a batch is in, only one window of it is under way.
 */
export class WindowPlanner<Tag> {
  readonly #lanes: ReadonlyMap<Batch<Tag>, Lane<Tag>>;
  readonly #goals: Goals;
  readonly #replySizes: ReplySizes;
  #bytesPerRow = 0;
  /** Halved when windows fail for their size, and grown back slowly. */
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

  /** The next window to read; undefined if all are taken, or if those left wait: for a first reply, or since one was put back. */
  take(): PlannedWindow<Tag> | undefined {
    let oldest: Lane<Tag> | undefined;
    for (const lane of this.#lanes.values()) {
      const start = lane.rest[0]?.from;
      if (start === undefined || lane.probing || lane.held > 0) continue;
      if (start < (oldest?.rest[0]?.from ?? Number.POSITIVE_INFINITY)) oldest = lane;
    }
    return oldest && this.#cut(oldest);
  }

  /** Reports the reply to a window, so that the next ones get the right width. */
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

  /** Reports that a window was not read after all, or not as a whole: nothing was learnt from it, but the next may be wider. */
  skip(window: PlannedWindow<Tag>): void {
    const lane = this.#lanes.get(window.batch);
    if (lane === undefined) return;
    lane.probing = false;
    const { density } = lane;
    const spanSec = spanOf(window);
    if (density && density.lastSpanSec < spanSec) lane.density = { ...density, lastSpanSec: spanSec };
  }

  /** Puts back a window that cannot be read yet, so that it is taken again later; until `resume` nothing of its batch is. */
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

  /** Reports a request of this window that failed for what may be its size. */
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
    // Without rows the width is bounded by growth alone.
    const fitting = Math.min(rows / (density.rows || 1e-12), seriesRows / (density.seriesRows || 1e-12));
    const widest = lane.density ? growth : Math.max(growth, fitting);
    return Math.max(1, Math.floor(Math.min(fitting * this.#sizeFactor, widest)));
  }

  /** The rows to aim at: the goal once, to prove it, and then just below what was proven. */
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

  /** Of a batch without a reply yet: by those of the others, or else by what earlier fillings showed. */
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

/** Follows a rise at once, since a window too wide costs most; else takes the mean, so that noise does not make windows narrow. */
function blend(before: number | undefined, now: number): number {
  return before === undefined || now > before * STEEP_RISE ? now : (before + now) / 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function wholeSteps({ missing, stepSec = 1 }: Batch<unknown>): RangeSet {
  return toRangeSet(missing.map((range) => alignOutwards(range, stepSec)));
}
