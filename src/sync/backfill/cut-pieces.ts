import { alignDown, alignUp } from '../../series/history-stream.ts';
import { intersect, subtract } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import { type Batch, seriesHoursOf } from '../../series/window-planner.ts';
import type { RateOf } from '../history/fill-rate.ts';
import type { Destination } from '../history/plan-fill.ts';

/**
 * A piece of a backfill: a time range of some series, which one worker fills by itself. Queues hold pieces.
 */
export interface Piece {
  /** Name of the stream in the ledger: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  /** Epoch microseconds, in whole steps of the stream. */
  readonly range: Range;
  /** Whether stored data is read again. */
  readonly force: boolean;
  /** Name of the backfill. Pieces of a process with an older version have none. */
  readonly work?: string | undefined;
}

/** Most points of a piece. They take some seconds of work, so that little work is lost if a worker ends. */
const MOST_POINTS = 100_000;
/**
 * Pieces that a smaller backfill is cut into, for many workers to share. No piece is smaller than a request.
 */
const PIECES = 64;
/**
 * Least number of groups of series. Pieces of different groups are filled at the same time. Pieces of the
 * same series wait for each other, because the coverage of a series is one row.
 */
const LANES = 16;
/** Width of a piece while the density is not known. */
const FIRST_SPAN_SEC = 3 * 3600;

interface Cutting {
  readonly rateOf: RateOf;
  /** Points that one request aims at. */
  readonly rowsPerRead: number;
  readonly force: boolean;
  readonly work: string;
}

/** Cuts a plan into pieces. The groups of series take turns, each with its oldest piece first. */
export function* cutPieces(batches: readonly Batch<Destination>[], cutting: Cutting): Generator<Piece> {
  const { rateOf, rowsPerRead } = cutting;
  const pointsOf = (batch: Batch<Destination>) =>
    seriesHoursOf([batch]) * (rateOf(batch.tag.stream)?.rowsPerSeriesHour ?? 0);
  const all = batches.reduce((sum, batch) => sum + pointsOf(batch), 0);
  const points = Math.min(MOST_POINTS, Math.max(rowsPerRead, all / PIECES));
  let lanes = divide(batches).map((batch) => cutBatch(batch, points, cutting));
  while (lanes.length > 0) {
    const next = lanes.map((lane) => ({ lane, piece: lane.next() }));
    for (const { piece } of next) if (!piece.done) yield piece.value;
    lanes = next.filter(({ piece }) => !piece.done).map(({ lane }) => lane);
  }
}

function* cutBatch(
  { series, missing, tag }: Batch<Destination>,
  points: number,
  { rateOf, force, work }: Cutting,
): Generator<Piece> {
  const { name, stepSec } = tag.stream;
  const seriesIds = series.map(({ id }) => id);
  const spanSec = spanSecOf(points, series.length, rateOf(tag.stream)?.rowsPerSeriesHour);
  const width = alignUp(spanSec * 1e6, stepSec);
  let [first, ...others] = missing;
  while (first !== undefined) {
    const from = alignDown(first.from, stepSec);
    const stretch = { from, to: from + width };
    const { to } = intersect([first, ...others], [stretch]).at(-1) ?? first;
    yield { stream: name, seriesIds, range: { from, to: alignUp(to, stepSec) }, force, work };
    [first, ...others] = subtract([first, ...others], [stretch]);
  }
}

/** Divides batches with many series, so that about `LANES` workers can share them. */
function divide(batches: readonly Batch<Destination>[]): Batch<Destination>[] {
  const count = batches.reduce((sum, { series }) => sum + series.length, 0);
  const most = Math.ceil(count / LANES);
  return batches.flatMap((batch) =>
    Array.from({ length: Math.ceil(batch.series.length / most) }, (_, k) => ({
      ...batch,
      series: batch.series.slice(k * most, (k + 1) * most),
    })),
  );
}

function spanSecOf(points: number, series: number, rowsPerSeriesHour: number | undefined): number {
  if (rowsPerSeriesHour === undefined) return FIRST_SPAN_SEC;
  return Math.max(1, (points / Math.max(rowsPerSeriesHour * series, 1e-6)) * 3600);
}
