import { alignDown, alignUp } from '../series/history-stream.ts';
import { intersect, widthOf } from '../series/range.ts';
import type { Range } from '../series/types.ts';
import type { Batch } from '../series/window-planner.ts';
import type { PaceOf } from './pace.ts';
import type { Destination } from './plan-fill.ts';

/** A part of a backfill that one worker does by itself: what some series lack of a stretch of time. It is what a queue holds. */
export interface Piece {
  /** Name of the stream in the ledger: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  /** Epoch microseconds, in whole steps of the stream. */
  readonly range: Range;
  /** Whether what is stored is read again. */
  readonly force: boolean;
}

/** A piece has at most so many points: some seconds of work, so that little is lost with a worker. */
const MOST_POINTS = 100_000;
/** Of less work, so many pieces are made, for many workers to share; but none is smaller than a request. */
const PIECES = 64;
/** Width of a piece, while nothing is known of the density. */
const FIRST_SPAN_SEC = 3 * 3600;

interface Cutting {
  readonly paceOf: PaceOf;
  /** Points that one request aims at. */
  readonly rowsPerRead: number;
  readonly force: boolean;
}

/** Cuts a plan into pieces, the oldest of each batch first. */
export function* cutPieces(
  batches: readonly Batch<Destination>[],
  { paceOf, rowsPerRead, force }: Cutting,
): Generator<Piece> {
  const all = batches.reduce(
    (sum, { series, missing, tag }) =>
      sum + ((paceOf(tag.stream)?.rowsPerSeriesHour ?? 0) * series.length * widthOf(missing)) / 3.6e9,
    0,
  );
  const points = Math.min(MOST_POINTS, Math.max(rowsPerRead, all / PIECES));
  for (const { series, missing, tag } of batches) {
    const { stream } = tag;
    const seriesIds = series.map(({ id }) => id);
    const spanSec = spanSecOf(points, series.length, paceOf(stream)?.rowsPerSeriesHour);
    const width = alignUp(spanSec * 1e6, stream.stepSec);
    const end = missing.at(-1)?.to ?? 0;
    let from = alignDown(missing[0]?.from ?? 0, stream.stepSec);
    while (from < end) {
      const lacking = intersect(missing, [{ from, to: from + width }]);
      const first = lacking[0];
      // A stretch that is stored is jumped over.
      if (first === undefined) from = nextFrom(missing, from + width, stream.stepSec);
      else {
        const to = alignUp(lacking.at(-1)?.to ?? first.to, stream.stepSec);
        yield {
          stream: stream.name,
          seriesIds,
          range: { from: alignDown(first.from, stream.stepSec), to },
          force,
        };
        from += width;
      }
    }
  }
}

function spanSecOf(points: number, series: number, rowsPerSeriesHour: number | undefined): number {
  if (rowsPerSeriesHour === undefined) return FIRST_SPAN_SEC;
  return Math.max(1, (points / Math.max(rowsPerSeriesHour * series, 1e-6)) * 3600);
}

/** The start of the first gap that ends after a time, or that time if it is inside the gap. */
function nextFrom(missing: readonly Range[], after: number, stepSec: number): number {
  const next = missing.find(({ to }) => to > after);
  return next === undefined ? Number.POSITIVE_INFINITY : alignDown(Math.max(after, next.from), stepSec);
}
