import type { RunRecord } from '../../ledger/runs.ts';
import type { SyncContext } from '../context.ts';
import type { Verified, VerifiedStore } from '../run-summary.ts';

/** The newest comparison with the platform of one kind. */
export interface Verification extends Verified {
  /** `verify`, or the kind of a job, which names the selection. */
  readonly kind: string;
  /** When the comparison began, in epoch microseconds. */
  readonly at: number;
  readonly run: number;
}

/** Reads the newest comparison of each kind, the newest first. */
export async function readVerifications({ ledger }: Pick<SyncContext, 'ledger'>): Promise<Verification[]> {
  const runs = await ledger.runs.readVerifications();
  return runs.flatMap((run) => {
    const verified = verifiedOf(run);
    return verified === undefined ? [] : [{ kind: run.kind, at: run.startedAt, run: run.id, ...verified }];
  });
}

/** Returns what a run compared. Returns undefined for a run that compared nothing. */
export function verifiedOf({ summary }: Pick<RunRecord, 'summary'>): Verified | undefined {
  if (typeof summary !== 'object' || summary === null || !('verified' in summary)) return undefined;
  return summary.verified as Verified;
}

/** Counts the points that differ in a store. */
export function countDiffering({ missing, extra, different }: VerifiedStore): number {
  return missing + extra + different;
}

/** A store that a comparison found to differ, and that nobody has repaired since. */
export interface DifferingStore extends VerifiedStore {
  readonly store: string;
  readonly from: Verification;
}

/**
 * Lists the stores that differ. A later comparison of all series over the same range settles an earlier one
 * if it found no difference, or repaired what it found.
 */
export function listDiffering(verifications: readonly Verification[]): DifferingStore[] {
  return verifications.flatMap((found) =>
    Object.entries(found.stores)
      .filter(([store, each]) => isOpen(each) && !verifications.some((later) => settles(later, found, store)))
      .map(([store, each]) => ({ store, from: found, ...each })),
  );
}

function isOpen(found: VerifiedStore): boolean {
  return countDiffering(found) > 0 && !found.isRepaired;
}

function settles(later: Verification, earlier: Verification, store: string): boolean {
  const found = later.stores[store];
  return (
    later.run > earlier.run &&
    later.isWhole &&
    later.kind === 'verify' &&
    later.from <= earlier.from &&
    later.to >= earlier.to &&
    found !== undefined &&
    !isOpen(found)
  );
}
