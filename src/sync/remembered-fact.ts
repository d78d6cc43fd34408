import type { SyncContext } from './context.ts';

type Context = Pick<SyncContext, 'config' | 'ledger'>;

/** One thing that the ledger remembers about the platform of the configuration, under a key. */
export interface RememberedFact<T> {
  /** Returns undefined if the ledger has nothing under the key, or something of another shape. */
  load(): Promise<T | undefined>;
  save(value: T): Promise<void>;
  forget(): Promise<void>;
}

/**
 * Opens the fact under a key. `isFact` tells whether a stored value has the expected shape, because another
 * version may have written the value.
 */
export function rememberedFact<T>(
  { config, ledger }: Context,
  key: string,
  isFact: (value: unknown) => value is T,
): RememberedFact<T> {
  const { baseUrl } = config.platform;
  return {
    async load() {
      const value = (await ledger.platformFacts.load(baseUrl)).get(key);
      return isFact(value) ? value : undefined;
    },
    save: (value) => ledger.platformFacts.save(baseUrl, key, value),
    async forget() {
      await ledger.platformFacts.forget(baseUrl, key);
    },
  };
}

/** Instants by name (epoch microseconds): since when something is true of a name. */
export type InstantsByName = Readonly<Record<string, number>>;

export function isInstantsByName(value: unknown): value is InstantsByName {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((at) => typeof at === 'number')
  );
}
