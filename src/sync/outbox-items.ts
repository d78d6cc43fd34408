import { messageOf, StoreError } from '../errors.ts';
import type { Reject } from '../ledger/rejects/reject.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { SyncContext } from './context.ts';

/** Items in one entry, and entries brought to a store at once. */
const ITEMS_PER_ENTRY = 1_000;
const ENTRIES_AT_ONCE = 10;

/** Puts items for a store into the outbox, in the transaction of what led to them; resolves to the number of older entries dropped. */
export async function queueItems(
  { ledger }: Pick<SyncContext, 'ledger'>,
  { store, items, maxEntries }: { store: string; items: readonly object[]; maxEntries: number },
  tx: Queryable,
): Promise<number> {
  const payloads: (readonly object[])[] = [];
  for (let k = 0; k < items.length; k += ITEMS_PER_ENTRY) payloads.push(items.slice(k, k + ITEMS_PER_ENTRY));
  return payloads.length === 0 ? 0 : ledger.outbox.add({ store, payloads, maxEntries }, tx);
}

/** What a store took of some items, and what it refused for good. */
export interface Delivered {
  readonly written: number;
  readonly rejects: readonly Reject[];
}

/**
 * Brings what waits for a store there, oldest first, as long as it takes it; `onDelivered` is told after the ledger knows of each part.
 * Resolves to why the store did not take everything; undefined if it did.
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
    return messageOf(error);
  }
}
