import { UsageError } from '../../errors.ts';
import type { Stores } from '../../ledger/known-stores.ts';
import type { ConfiguredStore } from '../../load/stores/store-kind.ts';

/** The part of the ledger that knows the stores. */
export interface KnowsStores {
  readonly stores: Pick<Stores, 'names'>;
}

/** A store of the configuration, as far as it is compared with those that the ledger knows. */
export type ComparedStore = Pick<ConfiguredStore, 'kind' | 'id' | 'prefix'>;

/**
 * Checks that the ledger knows a configured store. Throws a `UsageError` with both remedies if the
 * ledger knows only another one with the same database and measurement. That may be the same store under
 * another address, and everything would be read again.
 */
export async function requireKnownStore(store: ComparedStore, ledger: KnowsStores): Promise<void> {
  const { kind, id, prefix } = store;
  const known = await ledger.stores.names();
  if (known.some((name) => name.startsWith(`${prefix}/`))) return;
  const others = findOthers(known, store);
  if (others.length === 0) return;
  throw new UsageError(
    'ledger.unknown_store',
    `${kind.name}: the ledger knows no store ${id}, but ${others.join(' and ')}:`,
    [
      `if that is the same ${kind.title} under another address or name: plantsync stores adopt "${others[0]}"`,
      `if it is another ${kind.title}, which lacks the history: plantsync stores add`,
    ],
  );
}

/** The end of an identity: organization, database or bucket, measurement, constant tags. */
export function pathOf({ id, prefix }: Pick<ConfiguredStore, 'id' | 'prefix'>): string {
  return id.slice(prefix.length);
}

/**
 * Finds other known stores with the same database, measurement and tags. The configured store may be any of
 * them.
 */
export function findOthers(known: readonly string[], store: ComparedStore): string[] {
  const path = pathOf(store);
  return known.filter(
    (name) => name !== store.id && name.startsWith(`${store.kind.name}:`) && name.endsWith(path),
  );
}
