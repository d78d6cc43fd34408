import type { SumsQuestion } from '../../ledger/coverage-sums.ts';
import { intersect, type RangeSet, subtract } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { newestGaps } from '../status/list-gaps.ts';
import {
  type CellSums,
  cellUsOf,
  type Grid,
  gridOf,
  keptOf,
  shareOf,
  sharesOf,
  sum,
  widthsOf,
} from './cell-shares.ts';
import type { Grouping, MapFilter } from './map-filter.ts';
import { type MapPlace, type OpenedPlace, openPlace, wantedOf } from './map-parts.ts';
import { type IndexedPart, type RowIndex, readRowIndex } from './row-index.ts';
import { nameRow, type RowName } from './row-names.ts';

export interface MapQuestion extends MapPlace, MapFilter, Range {
  /** Number of cells of each row. */
  readonly columns: number;
  readonly groupBy: Grouping;
  /** Rows by name, or those with most missing time first. */
  readonly order: 'name' | 'missing';
  readonly offset: number;
  readonly limit: number;
}

/** What a store has of the series of one row. */
export interface MapRow extends RowName {
  readonly series: number;
  /** For each cell, the share (0 to 1) of the wanted time that is stored. Undefined if nothing is wanted. */
  readonly cells: readonly (number | undefined)[];
  /**
   * For each cell, the share of its time outside the wanted range that is stored all the same. Undefined if
   * there is none in any cell.
   */
  readonly kept?: readonly number[] | undefined;
  /** The share of the wanted time of the whole view that is stored. */
  readonly share: number | undefined;
  /** Seconds that are wanted and not stored, added up over the series. */
  readonly missingSec: number;
}

export interface CoverageMap {
  /** The range of the cells. It may end a little later than asked, so that all cells have the same width. */
  readonly range: Range;
  /** The range from the first wanted instant of any series to the last. Undefined if nothing is wanted. */
  readonly wanted: Range | undefined;
  readonly rows: readonly MapRow[];
  /** Number of rows that there are. */
  readonly total: number;
}

/**
 * Reads how much of the wanted data a store has over time, in cells. The database adds up, so the answer is
 * bounded by rows and columns, whatever the number of series. The numbers agree with `listGaps`.
 */
export async function readCoverageMap(ctx: SyncContext, question: MapQuestion): Promise<CoverageMap> {
  const place = openPlace(ctx, question);
  const index = await readRowIndex(ctx, question);
  const grid = gridOf(question, question.columns);
  const parts = index.parts.map((part) => ({ ...part, wanted: wantedOf(ctx, place, part) }));
  const chosen = await chooseRows(ctx, { place, parts, index, view: grid.view, question });
  const sums = new Map(chosen.map((row) => [row, emptySums(grid)]));
  for (const part of parts) await addPart(ctx, { place, part, grid, sums });
  return {
    range: grid.view,
    wanted: envelopeOf(parts.flatMap(({ wanted }) => wanted)),
    rows: [...sums].map(([row, own]) =>
      describe({ ...nameRow(index, question.groupBy, row), series: index.counts[row] ?? 0 }, own, grid),
    ),
    total: index.names.length,
  };
}

/** A part with the range that is wanted now. */
export interface WantedPart extends IndexedPart {
  readonly wanted: RangeSet;
}

interface Choice {
  readonly place: OpenedPlace;
  readonly parts: readonly WantedPart[];
  readonly index: RowIndex;
  readonly view: Range;
  readonly question: Pick<MapQuestion, 'order' | 'offset' | 'limit'>;
}

async function chooseRows(
  ctx: SyncContext,
  { place, parts, index, view, question }: Choice,
): Promise<number[]> {
  const { order, offset, limit } = question;
  const rows = index.names.map((_, row) => row);
  if (order === 'name') return rows.slice(offset, offset + limit);
  const missing = new Map<number, number>();
  for (const part of parts) {
    const asked = askMissing(ctx, { place, part, view });
    if (asked === undefined) continue;
    for (const [row, total] of await ctx.ledger.coverage.readTotals(asked))
      missing.set(row, (missing.get(row) ?? 0) + total);
  }
  // The sort is stable, so rows that lack the same are in the order of their names.
  const lacking = [...missing.keys()].sort((a, b) => a - b);
  lacking.sort((a, b) => (missing.get(b) ?? 0) - (missing.get(a) ?? 0));
  const complete = rows.filter((row) => !missing.has(row));
  return [...lacking, ...complete].slice(offset, offset + limit);
}

/** The question for what a part lacks in a view. Undefined if nothing of the view is wanted. */
export function askMissing(
  ctx: SyncContext,
  { place, part, view }: { place: OpenedPlace; part: WantedPart; view: Range },
): SumsQuestion | undefined {
  const { endUs, widthUs } = newestGaps(ctx, place.stepSec);
  const zone = { from: endUs - widthUs, to: Number.POSITIVE_INFINITY };
  const isNew = view.to > zone.from;
  const within = intersect(part.wanted, [
    isNew ? { from: Math.min(view.from, zone.from), to: zone.to } : view,
  ]);
  if (intersect(within, [view]).length === 0) return undefined;
  return {
    ...askPart(place, part),
    part: 'missing',
    within,
    view,
    leaveOut: isNew ? { endsAfter: endUs, shorterThanUs: widthUs } : undefined,
  };
}

function askPart({ store, ledgerName }: OpenedPlace, { series, rows }: IndexedPart) {
  return { store: store.id, stream: ledgerName, seriesIds: series.map(({ id }) => id), groups: rows };
}

interface PartOfMap {
  readonly place: OpenedPlace;
  readonly part: WantedPart;
  readonly grid: Grid;
  readonly sums: ReadonlyMap<number, CellSums>;
}

/** Adds what the chosen rows have of one part. */
async function addPart(ctx: SyncContext, { place, part: whole, grid, sums }: PartOfMap): Promise<void> {
  const part = pickRows(whole, sums);
  if (part.series.length === 0) return;
  const { view, cells } = grid;
  const inView = intersect(part.wanted, [view]);
  const widths = widthsOf(grid, inView);
  const counts = new Map<number, number>();
  for (const row of part.rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  for (const [row, count] of counts) addTo(sums.get(row)?.wanted, widths, count);
  const { coverage } = ctx.ledger;
  const missing = askMissing(ctx, { place, part, view });
  if (missing !== undefined)
    for (const [row, found] of await coverage.readCells({ ...missing, cells }))
      addTo(sums.get(row)?.missing, found);
  const outside = subtract([view], inView);
  if (outside.length === 0) return;
  const kept = { ...askPart(place, part), part: 'stored' as const, within: outside, view };
  for (const [row, found] of await coverage.readCells({ ...kept, cells })) addTo(sums.get(row)?.kept, found);
}

function pickRows(part: WantedPart, rows: ReadonlyMap<number, unknown>): WantedPart {
  const isChosen = (_: unknown, k: number) => rows.has(part.rows[k] as number);
  return { ...part, series: part.series.filter(isChosen), rows: part.rows.filter((row) => rows.has(row)) };
}

function emptySums({ cells }: Grid): CellSums {
  const zeros = () => new Float64Array(cells);
  return { wanted: zeros(), missing: zeros(), kept: zeros() };
}

function addTo(sums: Float64Array | undefined, found: Float64Array, times = 1): void {
  if (sums === undefined) return;
  for (let k = 0; k < found.length; k += 1) sums[k] = (sums[k] ?? 0) + (found[k] ?? 0) * times;
}

function describe(name: RowName & { readonly series: number }, sums: CellSums, grid: Grid): MapRow {
  const [wanted, missing] = [sum(sums.wanted), sum(sums.missing)];
  return {
    ...name,
    cells: sharesOf(sums),
    kept: keptOf(sums, name.series * cellUsOf(grid)),
    share: shareOf(wanted - missing, wanted),
    missingSec: missing / 1e6,
  };
}

/** Returns the range from the begin of the first range to the end of the last. */
export function envelopeOf(ranges: readonly Range[]): Range | undefined {
  if (ranges.length === 0) return undefined;
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
}
