import type { Config } from '../../config/config-schema.ts';
import type { Logger } from '../../log.ts';
import type { Database } from '../../postgres/connect.ts';
import type { PointStore } from './store.ts';

/**
 * A kind of store that the configuration may ask for, other than Postgres: one folder. Nothing of it is
 * open.
 */
export interface StoreKind {
  /** Names the kind in metrics, summaries, rejects and the readiness, and begins each identity: `influx`. */
  readonly name: string;
  /** The name for people: `InfluxDB`. */
  readonly title: string;
  /** Whether its stores take the events of alarms. */
  readonly takesEvents: boolean;
  /** Whether the configuration asks for such a store. */
  isConfigured(config: Config): boolean;
  /**
   * The store of the configuration. Throws a `UsageError` if the configuration asks for none, or its options
   * are impossible.
   */
  configure(config: Config): ConfiguredStore;
}

/** A store that the configuration asks for. Nothing of it is open. */
export interface ConfiguredStore {
  readonly kind: StoreKind;
  /** The identity, as `PointStore` has it. */
  readonly id: string;
  /**
   * The beginning of the identity, which names the server. What follows stays the same at another address.
   */
  readonly prefix: string;
  readonly place: StorePlace;
  /** What `check` says of the store where all is well. */
  readonly summary: string;
  open(opening: StoreOpening): Promise<PointStore>;
  /** `limitMs` is the longest wait for an answer. */
  openPulse(limits: { readonly limitMs: number }): Promise<StorePulse>;
}

/** What holds the points of a store, and the options that name it. */
export interface StorePlace {
  /** `database`, `bucket`, `folder`. */
  readonly noun: string;
  readonly name: string;
  /** The option that holds the name. */
  readonly option: string;
  /** The option that says on which server it is, if there is one. */
  readonly addressOption?: string;
}

export interface StoreOpening {
  readonly log: Logger;
  /** Ends waits for a store that is away. */
  readonly signal?: AbortSignal | undefined;
  /** Whether `prepare` makes a place that is missing; else it throws a `MissingDatabaseError`. */
  readonly makesPlace: boolean;
}

/** Asks a store now and then whether it is there; that takes no login and touches no data. */
export interface StorePulse {
  /** Rejects with a `StoreError` if the store does not answer within the limit. */
  feel(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Postgres as a kind of store: always there, in the database of the ledger, which others open and look at.
 */
export interface PostgresKind {
  readonly name: string;
  readonly title: string;
  /** The option that keeps history out of it. */
  readonly option: string;
  /** Whether history goes to it although other stores take history. */
  takesHistory(config: Config): boolean;
  open(config: Config, db: Database): Promise<PostgresStore>;
}

/** Postgres as a store. */
export interface PostgresStore extends PointStore {
  /** As of any store; makes also the tables of these streams, which a write would make else. */
  prepare(streams?: readonly string[]): Promise<boolean>;
  /** Makes indexes that older months of points lack. Resolves to the number of these months. */
  indexMonths(): Promise<number>;
}

/** All kinds of stores. */
export interface StoreKinds {
  /** Takes the polls, and history where no other store does. */
  readonly postgres: PostgresKind;
  /** Take history, polls and events where the configuration asks for them. */
  readonly others: readonly StoreKind[];
}

/** The kinds other than Postgres that the configuration asks for. */
export function listConfiguredKinds(config: Config, { others }: StoreKinds): StoreKind[] {
  return others.filter((kind) => kind.isConfigured(config));
}

/** Whether history goes to Postgres: if the configuration says so, or if no other store takes it. */
export function goesToPostgres(config: Config, kinds: StoreKinds): boolean {
  return kinds.postgres.takesHistory(config) || listConfiguredKinds(config, kinds).length === 0;
}

/**
 * The stores other than Postgres that the configuration asks for. Throws a `UsageError` if options are
 * impossible.
 */
export function listConfigured(config: Config, kinds: StoreKinds): ConfiguredStore[] {
  return listConfiguredKinds(config, kinds).map((kind) => kind.configure(config));
}
