import { openBullMq } from '../queue/bullmq.ts';
import type { Engine } from '../queue/engine.ts';
import { openInline } from '../queue/inline.ts';
import { openRedis } from '../queue/redis.ts';
import type { SyncContext } from '../sync/context.ts';
import type { Closers } from './closers.ts';
import type { Role } from './roles.ts';
import { engineOptions, openPatiently, type ServiceOptions } from './service.ts';

export interface EngineOpening extends ServiceOptions {
  readonly role: Role;
  readonly closers: Closers;
}

/** The engine that the configuration asks for. Waits for a Redis that is away; undefined if the signal came first. */
export async function openEngine(
  ctx: SyncContext,
  { role, closers, ...service }: EngineOpening,
): Promise<Engine | undefined> {
  const { db, log, config } = ctx;
  const options = engineOptions(ctx, service);
  const settings = config.redis;
  if (settings === undefined) return openInline(options);
  const redis = await openPatiently(() => openRedis(settings, log), ctx);
  if (redis === undefined) return undefined;
  closers.add(() => redis.close());
  const leads = role === 'all' || role === 'scheduler';
  const works = role === 'all' || role === 'worker';
  return openBullMq({ ...options, redis, settings, db, leads, works });
}
