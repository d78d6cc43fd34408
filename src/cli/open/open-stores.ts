import type { Config } from '../../config/config-schema.ts';
import { reasonOf, StoreError } from '../../errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { meterStore } from '../../load/stores/metered-store.ts';
import { MissingDatabaseError } from '../../load/stores/missing-database.ts';
import { prepareLater } from '../../load/stores/prepared-store.ts';
import type { PointStore } from '../../load/stores/store.ts';
import {
  type ConfiguredStore,
  goesToPostgres,
  listConfigured,
  type StoreKinds,
} from '../../load/stores/store-kind.ts';
import { traceStore } from '../../load/stores/traced-store.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Database } from '../../postgres/connect.ts';
import type { SyncContext } from '../../sync/context.ts';
import { ALARMS, CURRENT } from '../../sync/stream-names.ts';
import type { Tracing } from '../../tracing.ts';
import type { Closers } from './closers.ts';
import { requireKnownStore } from './known-store.ts';
import { explainMissing } from './missing-store.ts';

/** A command that only reads: it makes nothing in a store. */
export interface StoreReader {
  /** Is told what is missing. */
  tell(sentence: string): void;
  /** Tells whether a kind of store is known to be away, so that nobody waits for it. */
  readonly isAway?: ((kind: string) => boolean) | undefined;
}

export interface StoresOpening {
  readonly kinds: StoreKinds;
  readonly db: Database;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Each store that is open is put here. */
  readonly closers: Closers;
  /** Ends waits for a store that is away. */
  readonly signal?: AbortSignal | undefined;
  /** Nothing is made in a store that only has to be read; what is missing is told. */
  readonly reader?: StoreReader | undefined;
}

/** Opens Postgres as a store, and the other stores that the configuration asks for. */
export async function openStores(
  config: Config,
  opening: StoresOpening,
): Promise<Pick<SyncContext, 'postgresStore' | 'stores'>> {
  const { kinds, db, metrics, tracing } = opening;
  const names = { polls: CURRENT, events: ALARMS };
  const meter = (store: PointStore) => meterStore(traceStore(store, tracing, names), metrics, names);
  const postgresStore = meter(await kinds.postgres.open(config, db));
  await postgresStore.prepare();
  const others: PointStore[] = [];
  for (const configured of listConfigured(config, kinds)) {
    await requireKnownStore(configured, opening.ledger);
    const store = meter(await openOther(configured, opening));
    opening.closers.add(() => store.close());
    await prepareOther(store, configured, opening);
    others.push(store);
  }
  return { postgresStore, stores: [...(goesToPostgres(config, kinds) ? [postgresStore] : []), ...others] };
}

/** A store that prepares itself later where it is down now. */
async function openOther(
  configured: ConfiguredStore,
  { ledger, log, signal, reader }: StoresOpening,
): Promise<PointStore> {
  const store = await configured.open({ log, signal, makesPlace: reader === undefined });
  // A database that was dropped and is made again lacks what the ledger says is in it.
  return prepareLater(store, async () => {
    await ledger.coverage.forgetStore(store.id);
    if (store.events !== undefined) await ledger.coverage.forgetStore(store.events.id);
  });
}

/** Prepares a store. One that is down now is prepared when it is back; one that refuses is an error. */
async function prepareOther(
  store: PointStore,
  configured: ConfiguredStore,
  { ledger, log, reader }: StoresOpening,
): Promise<void> {
  if (reader?.isAway?.(store.kind)) return;
  try {
    await store.prepare();
  } catch (error) {
    if (reader !== undefined && error instanceof MissingDatabaseError)
      return reader.tell(await explainMissing(configured, ledger, error));
    if (!(error instanceof StoreError) || error.action !== 'retry') throw error;
    log.warn(
      { store: store.id, ...reasonOf(error) },
      'a store cannot be reached: going on without it until it answers',
    );
  }
}
