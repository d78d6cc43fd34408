import type { HistoryStream } from '../../series/history-stream.ts';
import { intersect, type RangeSet, toRangeSet, widthOf } from '../../series/range.ts';
import type { Range, Series } from '../../series/types.ts';
import { seriesName } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { type CoverageFilter, orderOfLook, rangesOf } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';

/** Cells of each line of a picture, unless somebody counts them. */
const CELLS = 60;
/** Most lines for single series. If more series are asked for, the lines show selections. */
const MAX_SERIES_LINES = 40;

/** A line of the picture: what a store has of some series over the range. */
export interface PictureLine {
  readonly store: string;
  /** Name of the stream, raw history or an aggregate: `history`, `history/300s/mean`. */
  readonly stream: string;
  /** A selection as `objects/properties`, or one series. */
  readonly name: string;
  readonly series: number;
  /**
   * For each cell, the share (0 to 1) of the wanted data that is stored. Undefined if nothing is wanted
   * there.
   */
  readonly cells: readonly (number | undefined)[];
  /** The share of the wanted data that is stored in the whole range. */
  readonly share: number;
}

export interface CoveragePicture {
  readonly range: Range;
  readonly lines: PictureLine[];
}

/** What a picture shows. */
export interface PictureQuestion extends CoverageFilter {
  /** Tells how many cells there is room for, next to the names of the lines. */
  readonly countCells?: (lines: readonly Named[]) => number;
}

/** The parts of a line that name it. */
export type Named = Pick<PictureLine, 'stream' | 'name' | 'series'>;

interface Subject {
  readonly stream: HistoryStream;
  readonly name: string;
  readonly series: readonly Series[];
  readonly wanted: Range;
}

/**
 * Reads how much of the wanted data is stored over time. Each line shows a store and a selection, or a store
 * and a series if the filter names objects.
 */
export async function readPicture(
  ctx: SyncContext,
  { countCells = () => CELLS, ...filter }: PictureQuestion = {},
): Promise<CoveragePicture> {
  const order = orderOfLook(filter);
  const subjects: Subject[] = [];
  for (const { selection, series } of await ctx.catalog.select(filter)) {
    for (const stream of streamsOf(selection.history)) {
      const own = seriesOf(stream, series);
      const { wanted } = rangesOf(ctx, order, { history: selection.history, stepSec: stream.stepSec });
      if (own.length > 0 && wanted.from < wanted.to)
        subjects.push({ stream, name: nameOfSelection(selection), series: own, wanted });
    }
  }
  const range = {
    from: Math.min(...subjects.map(({ wanted }) => wanted.from)),
    to: Math.max(...subjects.map(({ wanted }) => wanted.to)),
  };
  const shown = filter.objects === undefined ? subjects : bySeries(subjects);
  const count = Math.max(1, countCells(shown.map(namesOf)));
  const cells = cellsOf(range, count);
  const lines: PictureLine[] = [];
  for (const subject of shown) lines.push(...(await drawSubject(ctx, subject, { range, cells })));
  return { range, lines };
}

function bySeries(subjects: readonly Subject[]): Subject[] {
  const single = subjects.flatMap(({ series, ...subject }) =>
    series.map((each) => ({ ...subject, name: seriesName(each), series: [each] })),
  );
  return single.length <= MAX_SERIES_LINES ? single : [...subjects];
}

function namesOf({ stream, name, series }: Subject): Named {
  return { stream: stream.name, name, series: series.length };
}

async function drawSubject(
  ctx: SyncContext,
  subject: Subject,
  { range, cells }: { range: Range; cells: readonly Range[] },
): Promise<PictureLine[]> {
  const { stream, series, wanted } = subject;
  const groups = await ctx.ledger.coverage.readGaps({
    stream: stream.name,
    stores: ctx.stores.map(({ id }) => id),
    seriesIds: series.map(({ id }) => id),
    wanted: [wanted],
  });
  return ctx.stores.map((store, k) => {
    const kept = clipByRetention(ctx, store, { ranges: [wanted], stepSec: stream.stepSec });
    const gaps = groups.map((group) => ({
      series: group.seriesIds.length,
      ranges: group.gaps[k] ?? [],
    }));
    const shareOf = (cell: Range) => shareIn(cell, { wanted: kept, gaps, series: series.length });
    return {
      store: store.id,
      ...namesOf(subject),
      cells: cells.map(shareOf),
      share: shareOf(range) ?? 1,
    };
  });
}

function cellsOf({ from, to }: Range, count: number): Range[] {
  const at = (k: number) => from + ((to - from) * k) / count;
  return Array.from({ length: count }, (_, k) => ({ from: at(k), to: at(k + 1) }));
}

interface Have {
  readonly wanted: RangeSet;
  readonly gaps: readonly { readonly series: number; readonly ranges: RangeSet }[];
  readonly series: number;
}

/** Returns the share of a cell that is stored. Returns undefined if nothing of the cell is wanted. Pure. */
export function shareIn(cell: Range, { wanted, gaps, series }: Have): number | undefined {
  const within = intersect(wanted, [cell]);
  const width = widthOf(within) * series;
  if (width === 0) return undefined;
  const missing = gaps.reduce(
    (sum, gap) => sum + gap.series * widthOf(intersect(toRangeSet(gap.ranges), within)),
    0,
  );
  return 1 - missing / width;
}
