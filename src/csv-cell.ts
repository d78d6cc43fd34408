/** What a reader of CSV takes for more than a part of a cell: marks of the format, and blanks at the ends. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Writes a text as a cell of CSV. A text that matches `needsQuotes` stands in quotes. */
export function csvCell(text: string, needsQuotes = NEEDS_QUOTES): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
