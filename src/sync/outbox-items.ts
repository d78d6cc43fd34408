import { describeError, StoreError } from '../errors.ts';
import type { Reject } from '../ledger/rejects/reject.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { SyncContext } from './context.ts';

/** Items in one entry of the outbox, and entries that a store gets at once. */
const ITEMS_PER_ENTRY = 1_000;
const ENTRIES_AT_ONCE = 10;

/**
 * Puts items for a store into the outbox, in the transaction that made them. Returns how many older entries
 * were dropped.
 */
export async function queueItems(
  { ledger }: Pick<SyncContext, 'ledger'>,
  { store, items, maxEntries }: { store: string; items: readonly object[]; maxEntries: number },
  tx: Queryable,
): Promise<number> {
  const payloads: (readonly object[])[] = [];
  for (let k = 0; k < items.length; k += ITEMS_PER_ENTRY) payloads.push(items.slice(k, k + ITEMS_PER_ENTRY));
  return payloads.length === 0 ? 0 : ledger.outbox.add({ store, payloads, maxEntries }, tx);
}

/** How many items a store took, and which ones it refused for good. */
export interface Delivered {
  readonly written: number;
  readonly rejects: readonly Reject[];
}

/**
 * Brings the waiting items of a store to the store, oldest first, until none waits or the store fails. Calls
 * `onDelivered` for each portion after the ledger has removed it. Returns why the store failed. Returns
 * undefined if nothing waits any more.
 */
export async function deliverItems<Item>(
  { ledger }: Pick<SyncContext, 'ledger'>,
  store: string,
  {
    write,
    onDelivered,
  }: { write: (items: Item[]) => Promise<Delivered>; onDelivered: (delivered: Delivered) => void },
): Promise<string | undefined> {
  try {
    for (;;) {
      const entries = await ledger.outbox.take(store, ENTRIES_AT_ONCE);
      if (entries.length === 0) return undefined;
      const delivered = await write(entries.flatMap(({ payload }) => payload as Item[]));
      await ledger.rejects.add(delivered.rejects);
      await ledger.outbox.remove(entries.map(({ id }) => id));
      onDelivered(delivered);
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return describeError(error);
  }
}
