/**
 * What a list held when it was last loaded, as the ledger keeps it. A content is kept only while the tables
 * hold the rows of the list as they would be loaded again.
 */
export interface ListContent {
  /** Digest of everything else that shapes the rows: settings, versions, tables. */
  readonly seal: string;
  /** Since when no row of the list was compared with the table (epoch seconds). */
  readonly comparedSec: number;
  /** Whether the list came as one page, and no further page was asked for. */
  readonly isOnePage: boolean;
  /** Whether the tables hold no other live rows of the list. Else each scan counts what it misses. */
  readonly isSettled: boolean;
  readonly units: readonly Unit[];
}

/** Records that stand together in a list: a reply, or a stretch of a long list. */
export interface Unit {
  readonly digest: string;
  /** Number of records. No record was refused, and no two have the same key. */
  readonly records: number;
  /** The drift of the records, as `DriftTally.toText` writes it. */
  readonly drift: string;
}

/** Writes a content as a text for the ledger. */
export function writeContent({ seal, comparedSec, isOnePage, isSettled, units }: ListContent): string {
  const short = units.map(({ digest, records, drift }) => [digest, records, drift]);
  return JSON.stringify([seal, comparedSec, isOnePage, isSettled, short]);
}

/** Reads a content from the ledger. Returns undefined for the text of another version of the program. */
export function readContent(text: string): ListContent | undefined {
  try {
    const [seal, comparedSec, isOnePage, isSettled, short] = JSON.parse(text) as [
      ...[seal: string, comparedSec: number, isOnePage: boolean, isSettled: boolean],
      short: [string, number, string][],
    ];
    const units = short.map(([digest, records, drift]) => ({ digest, records, drift }));
    return { seal, comparedSec, isOnePage, isSettled, units };
  } catch {
    return undefined;
  }
}
