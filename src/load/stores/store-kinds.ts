import { influxKind } from './influx/kind.ts';
import { postgresKind } from './postgres/kind.ts';
import type { StoreKinds } from './store-kind.ts';

/** Every kind of store, each with a folder of its own. Nothing else knows how many there are. */
export const STORE_KINDS: StoreKinds = {
  postgres: postgresKind,
  others: [influxKind],
};
