import type { Config } from '../config/schema.ts';
import type { Logger } from '../log.ts';
import { type Metrics, noMetrics } from '../metrics.ts';
import { openPlatform } from '../platform/open.ts';
import type { SharedBudget } from '../platform/pace.ts';
import type { Platform, TokenStore } from '../platform/platform.ts';
import { RedisConnections } from '../queue/redis.ts';
import { openRequestBudget } from '../queue/request-budget.ts';
import type { Closers } from './closers.ts';
import { readVersion } from './package-root.ts';

export interface PlatformOpening {
  readonly log: Logger;
  /** What is open is put here. */
  readonly closers: Closers;
  readonly tokens: TokenStore;
  readonly redis: RedisConnections | undefined;
  readonly metrics?: Metrics;
}

/** The platform of the configuration, with its token in `tokens`, and its rate of requests shared over `redis`. */
export function openConfiguredPlatform(config: Config, opening: PlatformOpening): Platform {
  const { log, closers, tokens, redis, metrics = noMetrics } = opening;
  const platform = openPlatform(
    { ...config.platform, userAgent: `plantsync/${readVersion()}` },
    { tokens, log, metrics, budget: openBudget(config, redis) },
  );
  closers.add(() => platform.close());
  return platform;
}

/** Redis, if it is configured; nothing is connected before somebody needs it. */
export function openConfiguredRedis(
  { redis: settings }: Config,
  { log, closers }: Pick<PlatformOpening, 'log' | 'closers'>,
): RedisConnections | undefined {
  if (settings === undefined) return undefined;
  const redis = new RedisConnections(settings, log);
  closers.add(() => redis.close());
  return redis;
}

/** What all processes may send together, if there is a rate and a Redis; nobody waits for one that is away. */
function openBudget(
  { redis: settings, platform }: Config,
  redis: RedisConnections | undefined,
): SharedBudget | undefined {
  const { baseUrl, requestsPerSecond } = platform;
  if (settings === undefined || redis === undefined || requestsPerSecond === undefined) return undefined;
  redis.begin();
  return openRequestBudget({
    redis: redis.hasty,
    prefix: settings.prefix,
    platform: new URL(baseUrl).host,
    requestsPerSecond,
  });
}
