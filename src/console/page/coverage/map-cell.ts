import type { Signal } from '@preact/signals';
import type { CoverageRow } from '../../api/coverage.ts';
import type { RowStore } from './row-store.ts';
import { placeOf, spanOf, type View } from './time-view.ts';

/** A cell of the map, and where it is on the screen. */
export interface Cell {
  readonly index: number;
  readonly row: CoverageRow;
  readonly range: View;
  readonly share: number | null;
  readonly kept: number;
}

/** Where the pointer or the keyboard is: a row, and a time. */
export interface Cursor {
  readonly index: number;
  readonly time: number;
  /** Place of the tip, in CSS pixels of the map. */
  readonly x: number;
  readonly y: number;
  readonly byKeys: boolean;
}

export interface MapCanvasProps {
  readonly rows: RowStore;
  readonly view: View;
  /** Changes when rows have come. */
  readonly drawn: number;
  readonly cursor: Signal<Cursor | undefined>;
  /** What the picture shows, in one sentence. It is empty until that is known. */
  readonly summary: string;
  readonly nameOf: (row: CoverageRow) => string;
  readonly shareOf: (row: CoverageRow) => string;
  readonly onView: (view: View) => void;
  readonly onColumns: (columns: number) => void;
  readonly onPick: (cell: Cell) => void;
  readonly onOpen: (row: CoverageRow) => void;
  readonly onBack: () => void;
}

/** Returns the cell in which a time of a row lies. */
export function cellAt(rows: RowStore, index: number, time: number): Cell | undefined {
  const known = rows.at(index);
  if (known === undefined) return undefined;
  const { row, view } = known;
  const k = Math.floor(placeOf(view, time) * row.cells.length);
  if (k < 0 || k >= row.cells.length) return undefined;
  const cellMs = spanOf(view) / row.cells.length;
  const range = { from: view.from + k * cellMs, to: view.from + (k + 1) * cellMs };
  return { index, row, range, share: row.cells[k] ?? null, kept: row.kept?.[k] ?? 0 };
}
