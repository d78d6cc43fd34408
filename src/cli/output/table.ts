import { showControls } from '../../shown-text.ts';
import { cutColumns } from './text-width.ts';

/** A cell of a table. A column of numbers goes to the right. An unknown cell is an empty text. */
export type Cell = string | number;

/** A column of a table, and what may happen to it on a narrow terminal. A title alone is never shortened. */
export interface Column {
  readonly title: string;
  /** Long cells may be wrapped, down to this width. */
  readonly wrap?: number;
  /** Long cells may be cut, down to this width. */
  readonly cut?: number;
  /** The column may be left out. The lowest number goes first. */
  readonly drop?: number;
}

/** Rows under titles. The table is drawn when the width is known. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A part of what a command prints: a table, or a sentence that may be wrapped. */
export type Line = string | Table;

/** Makes a table. A column that is given by its title alone is never shortened. */
export function makeTable(columns: readonly (Column | string)[], rows: Table['rows']): Table {
  return {
    columns: columns.map((column) => (typeof column === 'string' ? { title: column } : column)),
    rows,
  };
}

/** Formats a number as `12,345`, with up to one decimal. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

const brief = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 2 });

/** Formats a number as `1.2M`, for columns that are too narrow for all digits. */
export function formatBrief(value: number): string {
  return value < 1000 ? formatNumber(value) : brief.format(value);
}

/** Formats a duration for people, in its largest fitting unit: `0.4 s`, `57 s`, `12 min`, `3 h`, `5 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 9.95) return `${formatNumber(seconds)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 99.5 * 60) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600
    ? `${Math.round(seconds / 3600)} h`
    : `${formatNumber(Math.round(seconds / 86_400))} d`;
}

/** Returns the text on one line, without control characters, cut to this many columns of a terminal. */
export function cutText(text: string, columns: number): string {
  return cutColumns(showControls(text.replace(/\s+/g, ' ')), columns, '…');
}
