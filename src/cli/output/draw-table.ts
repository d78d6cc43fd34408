import { showOnOneLine } from '../../shown-text.ts';
import { fitColumns, GAP } from './fit-columns.ts';
import { type Column, formatNumber, type Table } from './table.ts';
import { cutColumns, widthOf } from './text-width.ts';
import { wrapCell, wrapText } from './wrap-text.ts';

/** A column as it is drawn. */
interface Drawn {
  readonly width: number;
  readonly isNumber: boolean;
  readonly title: readonly string[];
  /** The lines of each cell. */
  readonly cells: readonly (readonly string[])[];
}

/**
 * Draws a table within this many columns of a terminal, with numbers to the right. Says below the table which
 * columns are left out.
 */
export function drawTable({ columns, rows }: Table, room: number): string[] {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : showOnOneLine(cell))),
  );
  const fitted = fitColumns(columns, texts, room);
  const drawn = fitted.map(({ index, width }): Drawn => {
    const { title, cut }: Column = columns[index] ?? { title: '' };
    const linesOf = (text: string) =>
      cut === undefined ? wrapCell(text, width) : [cutColumns(text, width, '…')];
    return {
      width,
      isNumber: isNumeric(rows.map((row) => row[index] ?? '')),
      title: wrapCell(title, width),
      cells: texts.map((row) => linesOf(row[index] ?? '')),
    };
  });
  const height = Math.max(...drawn.map(({ title }) => title.length));
  const head = drawn.map(({ title }) => [...Array<string>(height - title.length).fill(''), ...title]);
  const lines = [
    ...drawRow(drawn, head),
    ...drawRow(
      drawn,
      drawn.map(({ width }) => ['─'.repeat(width)]),
    ),
    ...rows.flatMap((_, k) =>
      drawRow(
        drawn,
        drawn.map(({ cells }) => cells[k] ?? []),
      ),
    ),
  ];
  return [
    ...lines,
    ...describeLeftOut(
      columns.filter((_, k) => !fitted.some(({ index }) => index === k)),
      room,
    ),
  ];
}

function isNumeric(cells: Table['rows'][number]): boolean {
  const known = cells.filter((cell) => cell !== '');
  return known.length > 0 && known.every((cell) => typeof cell === 'number');
}

/** Draws a row, which takes as many lines as its tallest cell. */
function drawRow(columns: readonly Drawn[], cells: readonly (readonly string[])[]): string[] {
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, k) =>
    columns
      .map(({ width, isNumber }, column) => {
        const text = cells[column]?.[k] ?? '';
        const space = ' '.repeat(Math.max(0, width - widthOf(text)));
        return isNumber ? space + text : text + space;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function describeLeftOut(columns: readonly Column[], room: number): string[] {
  if (columns.length === 0) return [];
  const names = columns.map(({ title }) => title).join(', ');
  return wrapText(`not shown, since the terminal is narrow: ${names}`, room);
}
