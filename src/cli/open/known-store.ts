import type { Config } from '../../config/config-schema.ts';
import { UsageError } from '../../errors.ts';
import type { Stores } from '../../ledger/known-stores.ts';
import {
  influxStoreId,
  influxStorePrefix,
  resolveInfluxOptions,
} from '../../load/stores/influx/influx-options.ts';

/** A ledger, as far as it is asked for stores. */
export interface KnowsStores {
  readonly stores: Pick<Stores, 'names'>;
}

/**
 * Refuses an InfluxDB of which the ledger knows nothing while it knows another with the same database and measurement: that may be the
 * same one under another address, and everything would be read again. Throws a `UsageError` with both remedies.
 */
export async function requireKnownStore(config: Config, ledger: KnowsStores): Promise<void> {
  const configured = configuredStore(config);
  if (configured === undefined) return;
  const known = await ledger.stores.names();
  if (known.some((store) => store.startsWith(`${configured.prefix}/`))) return;
  const others = findOthers(known, configured);
  if (others.length === 0) return;
  throw new UsageError(
    'ledger.unknown_store',
    `influx: the ledger knows no store ${configured.id}, but ${others.join(' and ')}:`,
    [
      `if that is the same InfluxDB under another address or name: plantsync stores adopt "${others[0]}"`,
      'if it is another InfluxDB, which lacks the history: plantsync stores add',
    ],
  );
}

export interface ConfiguredStore {
  readonly id: string;
  /** The end of the identity: organization, database or bucket, measurement, constant tags. */
  readonly path: string;
  /** What comes before it. */
  readonly prefix: string;
}

/** The InfluxDB of the configuration; undefined if there is none. */
export function configuredStore({ influx }: Config): ConfiguredStore | undefined {
  if (influx === undefined) return undefined;
  const target = resolveInfluxOptions(influx);
  const [id, prefix] = [influxStoreId(target), influxStorePrefix(target)];
  return { id, prefix, path: id.slice(prefix.length) };
}

/** As `configuredStore`. Throws a `UsageError` if there is none. */
export function requireConfigured(config: Config): ConfiguredStore {
  const configured = configuredStore(config);
  if (configured === undefined)
    throw new UsageError('usage.needs_influx', 'influx.url is not set: there is no InfluxDB to name');
  return configured;
}

/** Other known stores with the same database, measurement and tags: the configured one may be each of them. */
export function findOthers(
  known: readonly string[],
  { id, path }: Pick<ConfiguredStore, 'id' | 'path'>,
): string[] {
  return known.filter((store) => store !== id && store.startsWith('influx:') && store.endsWith(path));
}
