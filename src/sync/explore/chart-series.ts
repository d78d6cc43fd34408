import type { NumberBucket, PointStore, TextBucket } from '../../load/stores/store.ts';
import { isBoolean, isNumeric } from '../../normalize/normalize-points.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet } from '../../series/range.ts';
import type { Range, Series, SeriesPoints } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { newestGaps } from '../status/list-gaps.ts';

export type ChartContext = Pick<SyncContext, 'ledger' | 'clock' | 'platform' | 'config'>;

export interface ChartQuestion {
  readonly store: PointStore;
  readonly stream: HistoryStream;
  readonly series: Series;
  readonly range: Range;
  /** The most columns that can be seen. */
  readonly columns: number;
}

/** What is drawn: a line of numbers, or stretches of time with a state. */
export type ChartKind = 'numbers' | 'states';

/** A value at an instant in epoch microseconds. Null ends the line. */
export type LinePoint = readonly [at: number, value: number | null];

/** A stretch of time in which a series has one state. Undefined if it changes too often to be shown. */
export interface StateRange extends Range {
  readonly state: string | undefined;
}

/** What a chart of one series shows. */
export interface SeriesChart {
  readonly kind: ChartKind;
  /** Whether each stored point is there, or columns with their extremes. */
  readonly isReduced: boolean;
  /** The number of stored points in the range. */
  readonly points: number;
  readonly line: readonly LinePoint[];
  readonly states: readonly StateRange[];
  /** The ranges that are missing. The newest data, which the next run reads, is no gap. */
  readonly gaps: RangeSet;
}

/** A range with no more points than this for each column is drawn whole. */
const POINTS_A_COLUMN = 4;

/**
 * Reads what a chart of one series shows, in bounded time and memory. Few points are returned as they are.
 * Many points become columns with their first, least, greatest and last value, so that no extreme is lost.
 */
export async function readChart(ctx: ChartContext, question: ChartQuestion): Promise<SeriesChart> {
  const { store, stream, series, range, columns } = question;
  const unstored = await readUnstored(ctx, question);
  const limit = columns * POINTS_A_COLUMN;
  const page = { stream: stream.name, series, range, limit: limit + 1, order: 'oldest first' } as const;
  const points = await store.readPage(page);
  const kind = kindOf(series, points);
  const drawn =
    points.times.length <= limit
      ? drawWhole(kind, points, { range, unstored })
      : await drawReduced(kind, question, unstored);
  return { kind, gaps: findGaps(ctx, question, unstored), ...drawn };
}

type Drawn = Omit<SeriesChart, 'kind' | 'gaps'>;

function drawWhole(
  kind: ChartKind,
  points: SeriesPoints,
  { range, unstored }: { range: Range; unstored: RangeSet },
): Drawn {
  const parts =
    kind === 'numbers'
      ? { line: lineOf(points, unstored), states: [] }
      : { line: [], states: statesOf(points, { range, unstored }) };
  return { ...parts, isReduced: false, points: points.times.length };
}

async function drawReduced(
  kind: ChartKind,
  { store, stream, series, range, columns }: ChartQuestion,
  unstored: RangeSet,
): Promise<Drawn> {
  const stepUs = Math.ceil((range.to - range.from) / columns);
  const reduction = { stream: stream.name, series, range, stepUs };
  if (kind === 'numbers') {
    const buckets = await store.reduceNumbers(reduction);
    const line = lineOfBuckets(buckets, { stepUs, unstored });
    return { line, states: [], isReduced: true, points: countOf(buckets) };
  }
  const buckets = isBoolean(series.primitiveType)
    ? (await store.reduceNumbers(reduction)).map(truthOf)
    : await store.reduceTexts(reduction);
  const states = statesOfBuckets(buckets, { range, stepUs, unstored });
  return { line: [], states, isReduced: true, points: countOf(buckets) };
}

/** Finds the ranges that are missing: those that are not stored, without the newest and the future. */
function findGaps(ctx: ChartContext, { stream, range }: ChartQuestion, unstored: RangeSet): RangeSet {
  const { headUs, endUs, widthUs } = newestGaps(ctx, stream.stepSec);
  const past = intersect(unstored, [{ from: range.from, to: headUs }]);
  return past.filter(({ from, to }) => to <= endUs || to - from >= widthUs);
}

/** The values of an unknown type tell what it is. */
function kindOf({ primitiveType }: Series, { values }: SeriesPoints): ChartKind {
  const isLine = primitiveType === null ? values.some((value) => value !== null) : isNumeric(primitiveType);
  return isLine ? 'numbers' : 'states';
}

/** Reads the parts of the range that are not stored, which no line and no state crosses. */
async function readUnstored(
  ctx: ChartContext,
  { store, stream, series, range }: Pick<ChartQuestion, 'store' | 'stream' | 'series' | 'range'>,
): Promise<RangeSet> {
  const question = { store: store.id, stream: stream.name, seriesIds: [series.id] };
  const covered = toRangeSet((await ctx.ledger.coverage.read(question)).get(series.id) ?? []);
  const kept = clipByRetention(ctx, store, { ranges: [range], stepSec: stream.stepSec });
  return subtract([range], intersect(kept, covered));
}

/** Makes a line of points. It ends where a gap lies between two points, and where a number is missing. */
function lineOf({ times, values }: SeriesPoints, unstored: RangeSet): LinePoint[] {
  const line: LinePoint[] = [];
  const breaks = new GapWalk(unstored);
  for (const [k, at] of times.entries()) {
    const cut = breaks.next(at);
    if (cut !== undefined && line.length > 0) line.push([cut, null]);
    line.push([at, values[k] ?? null]);
  }
  return line;
}

/** Places the first, least, greatest and last value of each bucket in this order within the bucket. */
function lineOfBuckets(
  buckets: readonly NumberBucket[],
  { stepUs, unstored }: { stepUs: number; unstored: RangeSet },
): LinePoint[] {
  const line: LinePoint[] = [];
  const breaks = new GapWalk(unstored);
  const quarter = stepUs / 4;
  for (const { at, count, first, min, max, last } of buckets) {
    const cut = breaks.next(at);
    if (cut !== undefined && line.length > 0) line.push([cut, null]);
    line.push([at, first]);
    if (count > 1)
      line.push(
        [Math.round(at + quarter), min],
        [Math.round(at + 2 * quarter), max],
        [Math.round(at + 3 * quarter), last],
      );
  }
  return line;
}

/** Tells whether a gap begins between an instant and the one before. */
class GapWalk {
  readonly #gaps: RangeSet;
  #next = 0;

  constructor(gaps: RangeSet) {
    this.#gaps = gaps;
  }

  /** Returns the start of the last gap that begins at or before `at` and was not told yet. */
  next(at: number): number | undefined {
    let cut: number | undefined;
    for (
      let gap = this.#gaps[this.#next];
      gap !== undefined && gap.from <= at;
      gap = this.#gaps[this.#next]
    ) {
      cut = gap.from;
      this.#next += 1;
    }
    return cut;
  }
}

/** A state holds until the next point, a gap, or the end of the range. */
function statesOf(
  { series, times, values, texts }: SeriesPoints,
  { range, unstored }: { range: Range; unstored: RangeSet },
): StateRange[] {
  const truth = isBoolean(series.primitiveType);
  const stateAt = (k: number) => {
    const value = values[k] ?? null;
    if (value !== null) return truth ? String(value === 1) : String(value);
    return texts[k] ?? '';
  };
  const all = times.map((from, k) => ({ from, to: times[k + 1] ?? range.to, state: stateAt(k) }));
  return joinStates(all, unstored);
}

function statesOfBuckets(
  buckets: readonly TextBucket[],
  { range, stepUs, unstored }: { range: Range; stepUs: number; unstored: RangeSet },
): StateRange[] {
  const all = buckets.flatMap(({ at, distinct, last }, k): StateRange[] => {
    const next = buckets[k + 1]?.at ?? range.to;
    if (distinct === 1) return [{ from: at, to: next, state: last }];
    const end = Math.min(at + stepUs, next);
    const changing = { from: at, to: end, state: undefined };
    // What the bucket ends with holds until the next one.
    return end < next ? [changing, { from: end, to: next, state: last }] : [changing];
  });
  return joinStates(all, unstored);
}

/** Joins equal states that touch, and cuts the gaps out of them. */
function joinStates(all: readonly StateRange[], gaps: RangeSet): StateRange[] {
  const joined: StateRange[] = [];
  for (const each of all) {
    const last = joined.at(-1);
    if (last !== undefined && last.to === each.from && last.state === each.state)
      joined[joined.length - 1] = { ...last, to: each.to };
    else joined.push(each);
  }
  return joined.flatMap(({ state, ...range }) => subtract([range], gaps).map((rest) => ({ ...rest, state })));
}

function truthOf({ at, count, first, last, min, max }: NumberBucket): TextBucket {
  const say = (value: number) => String(value === 1);
  return { at, count, distinct: min === max ? 1 : 2, first: say(first), last: say(last) };
}

function countOf(buckets: readonly { readonly count: number }[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}
