import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { NumberRows } from '../../series/number-rows.ts';
import { intersect, toRangeSet } from '../../series/range.ts';
import { column, PIECE_COLUMNS } from '../../series/rollup.ts';
import type { Range } from '../../series/types.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import type { Changes } from './changes.ts';

export interface MarkTaking {
  readonly tables: RollupTables;
  readonly grid: ZoneGrid;
  /** The begin of the first hour that is not over, in epoch microseconds. Its changes stay marked. */
  readonly dueUntil: number;
  /** Older points may be gone, so rollups before this hour stay as they are. */
  readonly keptSince: number;
  /** How much is done in one transaction. */
  readonly limits?: PortionLimits | undefined;
}

/** How much is done in one transaction, so that no transaction is long. */
export interface PortionLimits {
  /** Marks that decide which series are taken together. */
  readonly seedMarks: number;
  readonly mostMarks: number;
  /** A change of more hours, added up over its series, is left to the backlog, which is done in parts. */
  readonly mostHours: number;
}

export const usualLimits: PortionLimits = { seedMarks: 16, mostMarks: 200, mostHours: 50_000 };

/** A change of some series, as a mark or a part of one tells it. */
export interface MarkedChange extends Range {
  readonly seriesIds: readonly number[];
  readonly reread: boolean;
  readonly pieces: NumberRows | undefined;
  /** When the change was made, in epoch microseconds. */
  readonly markedAt: number;
}

const PIECE_BYTES = PIECE_COLUMNS * Float64Array.BYTES_PER_ELEMENT;

/** Collects what changed of each series. */
export class ChangeCollector {
  readonly #taking: MarkTaking;
  readonly #touched = new Map<number, Range[]>();
  readonly #reread = new Map<number, Range[]>();
  readonly #pieces: NumberRows;
  /** Changes that are too long to be done at once. */
  readonly long: MarkedChange[] = [];

  /** @param bytes size of the sums of appended points */
  constructor(taking: MarkTaking, bytes: number) {
    this.#taking = taking;
    this.#pieces = new NumberRows(PIECE_COLUMNS, bytes / PIECE_BYTES);
  }

  add(change: MarkedChange): void {
    const { grid, keptSince, dueUntil, limits: { mostHours } = usualLimits } = this.#taking;
    const from = Math.max(keptSince, grid.hourAt(change.from).from);
    const to = Math.min(dueUntil, grid.hourAt(change.to - 1).to);
    if (from >= to) return;
    if (change.reread && (change.seriesIds.length * (to - from)) / 3.6e9 > mostHours) {
      this.long.push({ ...change, from, to });
      return;
    }
    const hours = { from, to };
    for (const id of change.seriesIds) {
      extend(this.#touched, id, hours);
      if (change.reread) extend(this.#reread, id, hours);
    }
    const { pieces } = change;
    if (pieces === undefined) return;
    for (const row of pieces.positions())
      if (pieces.get(row, column.bucket) >= keptSince) this.#pieces.addFrom(pieces, row);
  }

  reread(seriesIds: readonly number[], begins: number, ends: number): void {
    const { grid } = this.#taking;
    const hours = { from: grid.hourAt(begins).from, to: grid.hourAt(ends - 1).to };
    for (const id of seriesIds) {
      const touched = this.#touched.get(id);
      if (touched === undefined) continue;
      for (const range of intersect(toRangeSet(touched), [hours])) extend(this.#reread, id, range);
    }
  }

  all(): Changes {
    const series = [...this.#touched].map(([seriesId, touched]) => ({
      seriesId,
      touched: toRangeSet(touched),
      reread: toRangeSet(this.#reread.get(seriesId) ?? []),
    }));
    return { series, pieces: this.#pieces };
  }
}

/** Adds a range to a list. Most ranges follow the one before, and then they become one. */
function extend(lists: Map<number, Range[]>, id: number, range: Range): void {
  const list = lists.get(id);
  const last = list?.at(-1);
  if (list === undefined) lists.set(id, [range]);
  else if (last === undefined || range.from < last.from || range.from > last.to) list.push(range);
  else if (range.to > last.to) list[list.length - 1] = { from: last.from, to: range.to };
}
