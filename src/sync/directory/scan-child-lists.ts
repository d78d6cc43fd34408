import pMap from 'p-map';
import { messageOf, PlatformError } from '../../errors.ts';
import type { SyncContext } from '../context.ts';
import type { ProgressLine } from '../progress.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import type { ListReader } from './list-reader.ts';
import type { ListOwner } from './open-list.ts';
import type { RowSink } from './row-sink.ts';

/** Lists read at the same time; how many requests that makes is the client's matter. */
const LISTS_AT_ONCE = 32;
/** Lists failing one after the other before the platform is taken to be at fault. */
const MAX_FAILURES_IN_A_ROW = 20;
/** Lists of a scan whose total is put to the proof. */
const PROVEN_LISTS = 3;

/** A row whose list is read. */
export interface Owner extends ListOwner {
  /** Its own list lacked it the last time, so that a refusal is no surprise. */
  readonly isMissing: boolean;
}

export interface ChildListsScan {
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly owners: readonly Owner[];
  /** Number of the scan if totals are put to the proof: each time at other lists. */
  readonly proofOf?: number;
  readonly line: ProgressLine;
}

/** What came of the lists of all owners. */
export interface ChildListsEnd {
  pages: number;
  records: number;
  /** Lists that were answered. */
  answered: number;
  /** All of them held still, and none lacked what it promised. */
  stable: boolean;
  /** One sentence for each list that is not complete. */
  readonly problems: string[];
  /** One sentence for each list that is odd. */
  readonly notes: string[];
  /** One sentence for each owner whose list the platform refuses; after many in a row, and not one answer, no more are asked for. */
  readonly refused: string[];
  /** Owners of which the platform says that they do not exist: they were deleted after their own list was read. */
  readonly gone: { readonly owner: Owner; readonly reason: string }[];
}

/**
 * Reads the list of each owner. One that fails does not hold up the others; many failures in a row, or one that says that all
 * will fail, end the scan with that error.
 */
export async function scanChildLists(ctx: SyncContext, scan: ChildListsScan): Promise<ChildListsEnd> {
  const sum: ChildListsEnd = {
    pages: 0,
    records: 0,
    answered: 0,
    stable: true,
    problems: [],
    notes: [],
    refused: [],
    gone: [],
  };
  const owners = foremostSpread(scan.owners);
  const proven = new Set(provenOwners(owners, scan.proofOf));
  let failedInARow = 0;
  const isRefusedByAll = () =>
    sum.answered === 0 && sum.refused.length + sum.gone.length > MAX_FAILURES_IN_A_ROW;
  const readOne = async (owner: Owner) => {
    if (isRefusedByAll()) return;
    try {
      const end = await scan.reader.read(scan.sink.open(owner), { owner, proveEnd: proven.has(owner) });
      sum.stable &&= end.stable;
      sum.pages += end.pages;
      sum.records += end.records;
      sum.answered += 1;
      failedInARow = 0;
      if (end.problem !== undefined) sum.problems.push(`${nameOf(owner)}: ${end.problem}`);
      if (end.note !== undefined) sum.notes.push(`${nameOf(owner)}: ${end.note}`);
    } catch (error) {
      if (!(error instanceof PlatformError) || willAllFail(error)) throw error;
      if (error.refusesItem) {
        if (owner.isMissing) return;
        if (error.deniesItem) sum.gone.push({ owner, reason: messageOf(error) });
        else sum.refused.push(`${nameOf(owner)}: ${messageOf(error)}`);
        return;
      }
      failedInARow += 1;
      if (failedInARow > MAX_FAILURES_IN_A_ROW) throw error;
      sum.problems.push(`${nameOf(owner)}: ${messageOf(error)}`);
    } finally {
      scan.line.add(1);
    }
  };
  await pMap(owners, readOne, { concurrency: LISTS_AT_ONCE, signal: ctx.signal });
  return sum;
}

/** All owners, first some from all over the list: those of one kind, which the platform may refuse, often stand side by side. */
function foremostSpread(owners: readonly Owner[]): Owner[] {
  const first = new Set(sampleEvenly(owners, 2 * MAX_FAILURES_IN_A_ROW));
  return [...first, ...owners.filter((owner) => !first.has(owner))];
}

function provenOwners(owners: readonly Owner[], proofOf: number | undefined): Owner[] {
  if (proofOf === undefined) return [];
  return Array.from(
    { length: Math.min(PROVEN_LISTS, owners.length) },
    (_, k) => owners[(proofOf * PROVEN_LISTS + k) % owners.length] as Owner,
  );
}

/** The key of an owner for people: `tree/node`. */
export function nameOf(owner: Pick<Owner, 'key'>): string {
  return Object.values(owner.key).join('/');
}

/** True where asking for another list would fail alike. */
function willAllFail(error: PlatformError): boolean {
  return error.kind === 'auth' || error.unreachable;
}
