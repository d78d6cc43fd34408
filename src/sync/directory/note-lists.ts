import type { LoadedList } from '../../ledger/reads.ts';
import type { LoadResult, RowBatch } from '../../load/rows/load-rows.ts';
import { ownerColumns } from '../../streams/owner.ts';
import { writeContent } from './list-content.ts';
import type { Parcel } from './open-list.ts';
import type { BatchPlan } from './row-batches.ts';

/** The lists of a transaction, as the ledger is to know them after it. Each list is there once. */
export interface LoadedLists {
  /** Lists that were read to their end. */
  readonly ended: readonly LoadedList[];
  /** Lists that go on, or that were not read well. */
  readonly open: readonly LoadedList[];
}

/**
 * Works out what the tables hold of the lists of some parcels. If one of the rows was not loaded, that is not
 * known of any of the lists.
 */
export function noteLists(
  plan: BatchPlan,
  parcels: readonly Parcel[],
  { batches, results }: { batches: readonly RowBatch[]; results: readonly LoadResult[] },
): LoadedLists {
  const isLoaded = areAllLoaded(plan, parcels, { batches, results });
  const missing = listsWithMissing(plan, batches, results);
  const ended = new Map<string, LoadedList>();
  const open = new Map<string, LoadedList>();
  for (const { list, end, content } of parcels) {
    const held = content && isLoaded ? { ...content, isSettled: !missing.has(list.parent) } : undefined;
    const loaded = { ...list, content: held && writeContent(held) };
    (end === undefined ? open : ended).set(list.parent, loaded);
  }
  return { ended: [...ended.values()], open: [...open.values()] };
}

/** Tells whether each record became a row of its own: none was refused, replaced by another, or left out. */
function areAllLoaded(
  { targets }: BatchPlan,
  parcels: readonly Parcel[],
  { batches, results }: { batches: readonly RowBatch[]; results: readonly LoadResult[] },
): boolean {
  const records = parcels.reduce((sum, parcel) => sum + parcel.records.length, 0);
  const main = results.find((_, k) => batches[k]?.target === targets.main);
  const loaded = main === undefined ? 0 : main.inserted + main.updated + main.unchanged;
  return loaded === records && results.every(({ refused }) => refused.length === 0);
}

/** Returns the ids of the lists that lack live rows of their set. */
function listsWithMissing(
  { stream, targets }: BatchPlan,
  batches: readonly RowBatch[],
  results: readonly LoadResult[],
): Set<string> {
  const owners = ownerColumns(stream);
  const places = stream.parent?.stream.key.map((name) => owners.findIndex(({ of }) => of === name)) ?? [];
  const sets = results.flatMap(({ missing }, k) => (batches[k]?.target === targets.main ? missing : []));
  return new Set(sets.map((values) => JSON.stringify(places.map((at) => values[at]))));
}
