import type { Config } from '../../config/config-schema.ts';
import { UsageError } from '../../errors.ts';
import type { Stores } from '../../ledger/known-stores.ts';
import { influxStoreId, influxStorePrefix, resolveInfluxOptions } from '../../load/stores/influx/options.ts';

/** The part of the ledger that knows the stores. */
export interface KnowsStores {
  readonly stores: Pick<Stores, 'names'>;
}

/**
 * Checks that the ledger knows the configured InfluxDB. Throws a `UsageError` with both remedies if the
 * ledger knows only another one with the same database and measurement. That may be the same InfluxDB under
 * another address, and everything would be read again.
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
  /** The beginning of the identity, before `path`. */
  readonly prefix: string;
}

/** Returns the InfluxDB of the configuration. Returns undefined if InfluxDB is not configured. */
export function configuredStore({ influx }: Config): ConfiguredStore | undefined {
  if (influx === undefined) return undefined;
  const target = resolveInfluxOptions(influx);
  const [id, prefix] = [influxStoreId(target), influxStorePrefix(target)];
  return { id, prefix, path: id.slice(prefix.length) };
}

/** Returns the InfluxDB of the configuration. Throws a `UsageError` if InfluxDB is not configured. */
export function requireConfigured(config: Config): ConfiguredStore {
  const configured = configuredStore(config);
  if (configured === undefined)
    throw new UsageError('usage.needs_influx', 'influx.url is not set: no InfluxDB is configured');
  return configured;
}

/**
 * Finds other known stores with the same database, measurement and tags. The configured store may be any of
 * them.
 */
export function findOthers(
  known: readonly string[],
  { id, path }: Pick<ConfiguredStore, 'id' | 'path'>,
): string[] {
  return known.filter((store) => store !== id && store.startsWith('influx:') && store.endsWith(path));
}
