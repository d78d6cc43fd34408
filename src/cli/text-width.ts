import stringWidth from 'string-width';

/** Columns that a text takes on a terminal; Chinese, Japanese and Korean characters and most emoji take two. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** The text with blanks behind it, up to so many columns of a terminal. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}
