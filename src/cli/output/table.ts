import { showControls, showOnOneLine } from '../../shown-text.ts';
import { cutColumns, widthOf } from './text-width.ts';

/** Cells as lines of text: columns aligned, numbers to the right. A cell that is not known is an empty text. */
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

/** `12,345`; up to one decimal. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

const brief = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 2 });

/** `1.2M`: where a column is too narrow for all digits. */
export function formatBrief(value: number): string {
  return value < 1000 ? formatNumber(value) : brief.format(value);
}

/** A stretch of time for people: `0.4 s`, `57 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 9.95) return `${formatNumber(seconds)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 24
    ? withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min')
    : withRest(`${formatNumber(Math.floor(hours / 24))} d`, hours % 24, 'h');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

/** The text on one line and as people may see it, cut to so many columns of a terminal. */
export function cutText(text: string, columns: number): string {
  return cutColumns(showControls(text.replace(/\s+/g, ' ')), columns, '…');
}
