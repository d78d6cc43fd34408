import { showControls, showOnOneLine } from '../../shown-text.ts';
import { cutColumns, widthOf } from './text-width.ts';

/**
 * Renders cells as lines of text, with columns aligned and numbers to the right. An unknown cell is an empty
 * text.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : showOnOneLine(cell))),
  );
  const widths = head.map((title, column) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[column] ?? ''))),
  );
  const isNumber = head.map((_, column) => {
    const known = rows.map((row) => row[column]).filter((cell) => cell !== '');
    return known.length > 0 && known.every((cell) => typeof cell === 'number');
  });
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
        return isNumber[column] ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '─'.repeat(width))), ...texts.map(line)];
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
