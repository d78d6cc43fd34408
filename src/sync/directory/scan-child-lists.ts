import pMap from 'p-map';
import { describeError, PlatformError } from '../../errors.ts';
import type { SyncContext } from '../context.ts';
import type { ProgressLine } from '../progress.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import type { ListReader } from './list-reader.ts';
import type { ListOwner, OpenList } from './open-list.ts';
import type { RowSink } from './row-sink.ts';

/** Lists that are read at the same time. The client of the platform decides how many requests run. */
const LISTS_AT_ONCE = 32;
/** Lists that may fail in a row before the platform counts as faulty. */
const MAX_FAILURES_IN_A_ROW = 20;
/** Lists of a scan whose totals are checked. */
const PROVEN_LISTS = 3;

/** A row of the parent, whose list or details are read. */
export interface Owner extends ListOwner {
  /** Whether the row is missing from its own list, so that a refusal is no surprise. */
  readonly isMissing: boolean;
}

export interface ChildListsScan {
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly owners: readonly Owner[];
  /** Number of the scan, if totals are checked. Each scan checks the totals of other lists. */
  readonly proofOf?: number;
  readonly line: ProgressLine;
}

/** The outcome of the lists of all owners. */
export interface ChildListsEnd {
  pages: number;
  records: number;
  /** Lists that the platform answered. */
  answered: number;
  /** Whether every list stayed the same while it was read, and held what its total promised. */
  stable: boolean;
  /** One sentence for each list that is not complete. */
  readonly problems: string[];
  /** One sentence for each list that is odd, but complete. */
  readonly notes: string[];
  /**
   * One sentence for each owner whose list the platform refuses. After many refusals without one answer, no
   * more lists are asked for.
   */
  readonly refused: string[];
  /** Owners that do not exist, as the platform says: they were deleted after their own list was read. */
  readonly gone: { readonly owner: Owner; readonly reason: string }[];
}

/**
 * Reads the list of each owner. A list that fails does not hold up the others. Throws the platform's error if
 * many lists in a row fail, or if all other lists would fail, too.
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
  const readOne = async ({ owner, list }: { owner: Owner; list: OpenList }) => {
    if (isRefusedByAll()) return;
    try {
      const end = await scan.reader.read(list, { owner, proveEnd: proven.has(owner) });
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
        if (error.deniesItem) sum.gone.push({ owner, reason: describeError(error) });
        else sum.refused.push(`${nameOf(owner)}: ${describeError(error)}`);
        return;
      }
      failedInARow += 1;
      if (failedInARow > MAX_FAILURES_IN_A_ROW) throw error;
      sum.problems.push(`${nameOf(owner)}: ${describeError(error)}`);
    } finally {
      scan.line.add(1);
    }
  };
  await pMap(scan.sink.openEach(owners), readOne, { concurrency: LISTS_AT_ONCE, signal: ctx.signal });
  return sum;
}

/**
 * Puts some owners from all over the list first. Owners of one kind, which the platform may refuse, often
 * stand side by side.
 */
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

/** Names an owner for people by its key: `tree/node`. */
export function nameOf(owner: Pick<Owner, 'key'>): string {
  return Object.values(owner.key).join('/');
}

/** Tells whether a request for another list would fail, too. */
function willAllFail(error: PlatformError): boolean {
  return error.kind === 'auth' || error.unreachable;
}
