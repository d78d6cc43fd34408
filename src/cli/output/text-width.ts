import stringWidth from 'string-width';

/**
 * Returns the columns that a text takes on a terminal. Chinese, Japanese and Korean characters and most emoji
 * take two.
 */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Returns the text, filled with blanks up to this many columns of a terminal. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

const graphemes = new Intl.Segmenter();

/**
 * Returns the text, or as much of its beginning as fits into this many columns with `end` after it. No
 * character is cut in two.
 */
export function cutColumns(text: string, columns: number, end = ''): string {
  const room = columns - widthOf(end);
  let [width, kept] = [0, 0];
  for (const { segment, index } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return text.slice(0, kept) + end;
    if (width <= room) kept = index + segment.length;
  }
  return text;
}
