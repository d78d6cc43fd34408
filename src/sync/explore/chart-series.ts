import { isBoolean, isNumeric } from '../../series/primitive-types.ts';
import { intersect, type RangeSet, subtract, toRangeSet } from '../../series/range.ts';
import type { Range, Series, SeriesPoints } from '../../series/types.ts';
import { clipByRetention } from '../retention.ts';
import {
  type ChartContext,
  type ChartQuestion,
  findMissing,
  findNewest,
  type MissingParts,
} from './chart-gaps.ts';
import {
  countOf,
  joinStates,
  type LinePoint,
  lineOf,
  lineOfBuckets,
  type StateRange,
  statesOf,
  statesOfBuckets,
  truthOf,
} from './chart-parts.ts';

/** What is drawn: a line of numbers, or stretches of time with a state. */
export type ChartKind = 'numbers' | 'states';

/** What a chart of one series shows. */
export interface SeriesChart extends MissingParts {
  readonly kind: ChartKind;
  /** Whether each stored point is there, or columns with their extremes. */
  readonly isReduced: boolean;
  /** The number of stored points in the range. */
  readonly points: number;
  readonly line: readonly LinePoint[];
  readonly states: readonly StateRange[];
  /** The time of the newest stored point, if the range has none. Looked for in the year before. */
  readonly newest?: number | undefined;
}

/** A range with no more points than this for each column is drawn whole. */
const POINTS_A_COLUMN = 4;

/**
 * Reads what a chart of one series shows, in bounded time and memory. Few points are returned as they are.
 * Many points become columns with their first, least, greatest and last value, so that no extreme is lost.
 */
export async function readChart(ctx: ChartContext, question: ChartQuestion): Promise<SeriesChart> {
  const { store, stream, series, range, columns } = question;
  const covered = await readCovered(ctx, question);
  const unstored = findUnstored(ctx, question, covered);
  const limit = columns * POINTS_A_COLUMN;
  const page = { stream: stream.name, series, range, limit: limit + 1, order: 'oldest first' } as const;
  const points = await store.readPage(page);
  const kind = kindOf(series, points);
  const drawn =
    points.times.length <= limit
      ? drawWhole(kind, points, { range, unstored })
      : await drawReduced(kind, question, unstored);
  const states =
    kind === 'states' ? await addStateBefore(question, { covered, unstored, states: drawn.states }) : [];
  const missing = await findMissing(ctx, question, { covered, unstored });
  const newest = drawn.points === 0 ? await findNewest(question, covered) : undefined;
  return { kind, ...missing, ...drawn, states, newest };
}

type Drawn = Omit<SeriesChart, 'kind' | keyof MissingParts>;

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

/** The values of an unknown type tell what it is. */
function kindOf({ primitiveType }: Series, { values }: SeriesPoints): ChartKind {
  const isLine = primitiveType === null ? values.some((value) => value !== null) : isNumeric(primitiveType);
  return isLine ? 'numbers' : 'states';
}

/** Reads all ranges of a series that are stored. */
async function readCovered(
  ctx: ChartContext,
  { store, stream, series }: Pick<ChartQuestion, 'store' | 'stream' | 'series'>,
): Promise<RangeSet> {
  const question = { store: store.id, stream: stream.name, seriesIds: [series.id] };
  return toRangeSet((await ctx.ledger.coverage.read(question)).get(series.id) ?? []);
}

/** Returns the parts of the range that are not stored, which no line and no state crosses. */
function findUnstored(
  ctx: ChartContext,
  { store, stream, range }: Pick<ChartQuestion, 'store' | 'stream' | 'range'>,
  covered: RangeSet,
): RangeSet {
  const kept = clipByRetention(ctx, store, { ranges: [range], stepSec: stream.stepSec });
  return subtract([range], intersect(kept, covered));
}

/** The state at the begin of a range is looked for so far back. */
const BEFORE_US = 30 * 86_400e6;

/** Adds the state that holds at the begin of the range, if all is stored since its point. */
async function addStateBefore(
  { store, stream, series, range }: ChartQuestion,
  { covered, unstored, states }: { covered: RangeSet; unstored: RangeSet; states: readonly StateRange[] },
): Promise<readonly StateRange[]> {
  const first = states[0]?.from ?? range.to;
  const before = covered.find(({ from, to }) => from < range.from && to >= range.from);
  if (before === undefined || first === range.from) return states;
  const from = Math.max(before.from, range.from - BEFORE_US);
  const question = { stream: stream.name, series, range: { from, to: range.from }, limit: 1 };
  const points = await store.readPage({ ...question, order: 'newest first' });
  const held = statesOf(points, { range: { from, to: first }, unstored });
  return joinStates([...held.flatMap((each) => clip(each, range)), ...states], []);
}

function clip({ state, ...own }: StateRange, range: Range): StateRange[] {
  return intersect([own], [range]).map((part) => ({ ...part, state }));
}
