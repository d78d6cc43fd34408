/** The characters between cells, by the names that `--replay-separator` takes. */
export const separators: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  blank: ' ',
};

const SAMPLE_LINES = 20;

/**
 * Finds the separator in a sample of a file: the one that divides the first two lines into equally many
 * cells, at least two. Else it divides the first line into several cells. A semicolon and a tab come before a
 * comma, since a comma may divide decimals. Returns a comma if no separator does so.
 */
export function detectSeparator(sample: string): string {
  const lines = sample
    .split(/\r?\n|\r/)
    .slice(0, SAMPLE_LINES)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  for (const separator of [';', '\t', ',', ' ']) {
    const counts = lines.map((line) => countCells(line, separator));
    if ((counts[0] ?? 0) > 1 && counts.slice(0, 2).every((count) => count === counts[0])) return separator;
  }
  const found = [';', '\t', ',', ' '].find((separator) => countCells(lines[0] ?? '', separator) > 1);
  return found ?? ',';
}

function countCells(line: string, separator: string): number {
  const bare = line.replace(/"[^"]*"/g, '');
  return separator === ' ' ? bare.trim().split(/ +/).length : bare.split(separator).length;
}
