/** What the pages of a list, or its only reply, say in all. */
export interface ListEvidence {
  /** Entries that came. */
  readonly records: number;
  /** The number of entries that every page stated; undefined if any stated none or another. */
  readonly total: number | undefined;
  /** A message or code that reports no success stood beside the entries. */
  readonly complains?: boolean | undefined;
}

/**
 * Why the entries that came do not prove that there are no others, in one sentence; undefined if nothing speaks against it. Every list that
 * the program reads is judged here: an empty one is believed unless its own total promises entries, and entries with a complaint are
 * believed to be all only if they are as many as the total says. An empty list with a complaint is an error before it comes here.
 */
export function doubtOf({ records, total, complains = false }: ListEvidence): string | undefined {
  if (records === 0 && total !== undefined && total > 0)
    return `the list is empty although its total says ${total}: whether there is anything is not known`;
  if (complains && records !== total)
    return 'a message that reports no success came with the entries, and no total says that they are all';
  return undefined;
}
