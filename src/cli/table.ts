/** Cells as lines of text: columns aligned, numbers to the right. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell)));
  const widths = head.map((title, column) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[column] ?? ''))),
  );
  const isNumber = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
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

/** Columns that a text takes on a terminal; Chinese, Japanese and Korean characters take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1;
  return width;
}
