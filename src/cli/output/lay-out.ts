import { showControls } from '../../shown-text.ts';
import { drawTable } from './draw-table.ts';
import type { Line } from './table.ts';
import { wrapText } from './wrap-text.ts';

/**
 * Lays out sentences and tables within this many columns of a terminal. Characters that would control the
 * terminal are escaped.
 */
export function layOut(lines: readonly Line[], columns: number): string[] {
  return lines.flatMap((line) =>
    typeof line === 'string' ? wrapLines(line, columns) : drawTable(line, columns),
  );
}

/** Wraps each line of a text. A line break at its end stays. */
export function wrapLines(text: string, columns: number): string[] {
  return showControls(text)
    .split('\n')
    .flatMap((line) => wrapText(line, columns));
}
