import { showOnOneLine } from '../../shown-text.ts';
import { widthOf } from './text-width.ts';

/**
 * Divides a text between its words into lines of at most `columns`. The first line begins with `first`, the
 * others with as many blanks. Without `columns` there is one line. A longer word stays whole.
 */
export function wrapText(text: string, columns: number | undefined, first = ''): string[] {
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - widthOf(first);
  const lines: string[] = [];
  for (const word of showOnOneLine(text).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => (index === 0 ? first : ' '.repeat(widthOf(first))) + line);
}
