import type { Layer } from '../../config/origins.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Engine } from '../../queue/engine.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import type { Redact } from '../../redact.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { Overview } from '../../sync/status/overview-types.ts';

/**
 * What the operations of the API work with: the context of the running service, and what the console knows.
 */
export interface ApiContext extends SyncContext {
  readonly kinds: StoreKinds;
  /** Reads whether all is well, as `plantsync status` tells it. */
  readOverview(): Promise<Overview>;
  readonly engine: Pick<Engine, 'describeHealth' | 'trigger' | 'queues'>;
  /** Undefined if Redis is not configured. */
  readonly redis: RedisConnections | undefined;
  readonly redact: Redact;
  /** The sources of the configuration. */
  readonly layers: readonly Layer[];
  readonly version: string;
}
