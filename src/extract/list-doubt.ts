/** What all pages of a list, or its only reply, say together. */
export interface ListEvidence {
  /** Number of entries that came. */
  readonly records: number;
  /** The number of entries that every page stated. Undefined if a page stated no total or another one. */
  readonly total: number | undefined;
  /** True if a message or code that reports no success came with the entries. */
  readonly complains?: boolean | undefined;
}

/**
 * Returns in one sentence why the entries of a list do not prove that there are no others. Returns undefined
 * if nothing speaks against it. Every list that the program reads is judged here:
 * - an empty list is believed unless its own total promises entries;
 * - entries with a complaint are believed to be all only if their number is the total.
 * An empty list with a complaint is an error before it comes here.
 */
export function doubtOf({ records, total, complains = false }: ListEvidence): string | undefined {
  if (records === 0 && total !== undefined && total > 0)
    return `the list is empty although its total says ${total}: whether there are entries is not known`;
  if (complains && records !== total)
    return 'a message that reports no success came with the entries, and no total says that these are all entries';
  return undefined;
}
