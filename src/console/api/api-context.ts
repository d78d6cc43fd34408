import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Engine } from '../../queue/engine.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import type { Redact } from '../../redact.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { Readiness } from '../readiness.ts';

/**
 * What the operations of the API work with: the context of the running service, and what the console knows.
 */
export interface ApiContext extends SyncContext {
  readonly kinds: StoreKinds;
  /** The readiness of this process, as `/readyz` tells it. */
  readonly readiness: () => Readiness;
  readonly engine: Pick<Engine, 'describeHealth' | 'trigger'>;
  /** Undefined if Redis is not configured. */
  readonly redis: RedisConnections | undefined;
  readonly redact: Redact;
  readonly version: string;
}
