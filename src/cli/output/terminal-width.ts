/** The columns of a terminal that does not tell them. */
const DEFAULT_COLUMNS = 80;

/** The part of an output stream that tells its width. */
export type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/** Returns the columns of a terminal. A file or a pipe has no end: `Infinity`. */
export function columnsOf({ isTTY, columns }: Screen): number {
  return isTTY ? columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
}
