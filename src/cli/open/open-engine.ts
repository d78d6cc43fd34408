import type { ErrorCode } from '../../errors.ts';
import type { Engine } from '../../queue/engine.ts';
import { openInline } from '../../queue/open-inline.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { Role } from '../roles.ts';
import { engineOptions, type ServiceOptions } from '../service/engine-jobs.ts';
import { openWithRetry } from './open-with-retry.ts';

export interface EngineOpening extends ServiceOptions {
  readonly role: Role;
  /** Given exactly if Redis is configured. */
  readonly redis: RedisConnections | undefined;
  /** Is told what the start waits for. */
  readonly onWait?: ((reason: string) => void) | undefined;
}

/**
 * Opens the configured engine. Waits for a Redis that is away. Returns undefined if the signal came first.
 */
export async function openEngine(
  ctx: SyncContext,
  { role, redis, onWait, ...service }: EngineOpening,
): Promise<Engine | undefined> {
  const { ledger, log, config } = ctx;
  const options = engineOptions(ctx, service);
  const settings = config.redis;
  if (settings === undefined || redis === undefined) {
    // The engine asks once, at its start, and Postgres may have gone away since it was opened.
    const readLastSuccesses = async () =>
      (await openWithRetry(options.readLastSuccesses, ctx)) ?? new Map<string, number>();
    return openInline({ ...options, readLastSuccesses });
  }
  const { openBullMq } = await import('../../queue/bullmq/open-bullmq.ts');
  const facts = await openWithRetry(() => redis.connect(), { ...ctx, onWait });
  if (facts === undefined) return undefined;
  if (facts.warning !== undefined) log.warn({ code: 'redis.noeviction' satisfies ErrorCode }, facts.warning);
  const takeLead = async (name: string) => {
    const lock = await ledger.leases.tryLock(name);
    return lock.isHeld ? lock : undefined;
  };
  const leads = role === 'all' || role === 'scheduler';
  const works = role === 'all' || role === 'worker';
  return openBullMq({ ...options, redis, settings, takeLead, leads, works });
}
