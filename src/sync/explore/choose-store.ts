import { UsageError } from '../../errors.ts';
import type { PointStore } from '../../load/stores/store.ts';

/**
 * Returns the store of history with this kind or identity. Without a name the first store is returned, which
 * is Postgres if it takes history. Throws a `UsageError` that names all stores if there is no such store.
 */
export function chooseStore(stores: readonly PointStore[], name: string | undefined): PointStore {
  const store = name === undefined ? stores[0] : stores.find(({ id, kind }) => id === name || kind === name);
  if (store !== undefined) return store;
  throw new UsageError(
    'usage.unknown_store',
    `there is no store ${name ?? 'of history'}; history is in ${stores.map(({ id, kind }) => `${kind} (${id})`).join(' and ') || 'none'}`,
  );
}
