import type { Config } from '../../config/config-schema.ts';
import type { Logger } from '../../log.ts';
import { type Metrics, noMetrics } from '../../metrics.ts';
import { readVersion } from '../../package-root.ts';
import { openPlatform } from '../../platform/open-platform.ts';
import type { Platform, TokenStore } from '../../platform/platform.ts';
import type { SharedBudget } from '../../platform/transport/request-spacing.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import { steadyMs } from '../../steady-clock.ts';
import { noTracing, type Tracing } from '../../tracing.ts';
import { TrustedClock } from '../../trusted-clock.ts';
import type { Closers } from './closers.ts';

export interface PlatformOpening {
  readonly log: Logger;
  /** Gets everything that is opened. */
  readonly closers: Closers;
  readonly tokens: TokenStore;
  readonly redis: RedisConnections | undefined;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  /** Is told the platform's time. The default is a clock of its own. */
  readonly clock?: TrustedClock;
}

/** Opens the configured platform, with its token in `tokens`. Its rate of requests is shared over `redis`. */
export async function openConfiguredPlatform(config: Config, opening: PlatformOpening): Promise<Platform> {
  const { log, closers, tokens, redis, clock = new TrustedClock() } = opening;
  const { metrics = noMetrics, tracing = noTracing } = opening;
  const platform = openPlatform(
    { ...config.platform, userAgent: `plantsync/${readVersion()}` },
    {
      ...{ tokens, log, metrics, tracing, steadyMs },
      budget: await openBudget(config, redis),
      clock: clock.nowMs,
      noteTime: (ms) => clock.note('platform', ms),
    },
  );
  closers.add(() => platform.close());
  return platform;
}

/** The token of somebody who has none. It lives for long, so that no other is asked for. */
const NO_TOKEN = { accessToken: 'none', refreshToken: undefined, issuedAtMs: 0, expiresAtMs: 1e14 };

/**
 * Opens the configured platform for a look without a token, while the ledger that keeps the token is away. A
 * new token might end that of the service.
 */
export function openTokenlessPlatform(
  { platform: options }: Config,
  { log, closers }: Pick<PlatformOpening, 'log' | 'closers'>,
): Platform {
  const tokens: TokenStore = { load: async () => NO_TOKEN, exchange: async () => NO_TOKEN };
  const platform = openPlatform(
    { ...options, userAgent: `plantsync/${readVersion()}` },
    { tokens, log: log.child({}, { level: 'silent' }), steadyMs },
  );
  closers.add(() => platform.close());
  return platform;
}

/**
 * Opens Redis. Returns undefined, without loading its client, if Redis is not configured. Nothing is
 * connected before it is needed.
 */
export async function openConfiguredRedis(
  { redis: settings }: Config,
  { log, closers }: Pick<PlatformOpening, 'log' | 'closers'>,
): Promise<RedisConnections | undefined> {
  if (settings === undefined) return undefined;
  const { RedisConnections } = await import('../../queue/redis/redis-connections.ts');
  const redis = new RedisConnections(settings, log);
  closers.add(() => redis.close());
  return redis;
}

/**
 * Opens the budget of requests that all processes share. Returns undefined without a rate or without Redis.
 * Nobody waits for a Redis that is away.
 */
async function openBudget(
  { redis: settings, platform }: Config,
  redis: RedisConnections | undefined,
): Promise<SharedBudget | undefined> {
  const { baseUrl, requestsPerSecond } = platform;
  if (settings === undefined || redis === undefined || requestsPerSecond === undefined) return undefined;
  const { openRequestBudget } = await import('../../queue/redis/request-budget.ts');
  redis.begin();
  return openRequestBudget({
    redis: redis.hasty,
    prefix: settings.prefix,
    platform: new URL(baseUrl).host,
    requestsPerSecond,
  });
}
