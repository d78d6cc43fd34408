import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedBudget } from '../../platform/transport/request-spacing.ts';

export interface BudgetOptions {
  /** A client whose commands fail at once while Redis is down. */
  readonly redis: Redis;
  readonly prefix: string;
  /** Identity of the platform, without any secret. */
  readonly platform: string;
  readonly requestsPerSecond: number;
}

/**
 * Opens the budget of requests that all processes with the same Redis share for a platform. Redis counts
 * requests in windows of whole seconds. While Redis is down, each process keeps to the rate by itself.
 */
export function openRequestBudget({
  redis,
  prefix,
  platform,
  requestsPerSecond,
}: BudgetOptions): SharedBudget {
  const perWindow = windowOf(requestsPerSecond);
  const limiter = new RateLimiterRedis({
    ...perWindow,
    storeClient: redis,
    keyPrefix: `${prefix}:requests`,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(perWindow),
  });
  return async () => {
    try {
      await limiter.consume(platform);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const longestMs = perWindow.duration * 1000;
      if (refusal.msBeforeNext <= longestMs) return Math.max(1, refusal.msBeforeNext);
      // The clock of the server or of this process was put back within a window. Without the delete, the
      // window would last until the clock has caught up.
      await limiter.delete(platform).catch(() => undefined);
      return longestMs;
    }
  };
}

/**
 * Returns the shortest window of whole seconds that has room for whole requests. A rate of 2.5, for example,
 * is 5 requests in 2 s.
 */
export function windowOf(requestsPerSecond: number): { points: number; duration: number } {
  const most = 60;
  for (let duration = 1; duration < most; duration += 1) {
    const points = requestsPerSecond * duration;
    if (points >= 1 && Number.isInteger(points)) return { points, duration };
  }
  return requestsPerSecond * most >= 1
    ? { points: Math.floor(requestsPerSecond * most), duration: most }
    : { points: 1, duration: Math.ceil(1 / requestsPerSecond) };
}
