import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedBudget } from '../../platform/transport/request-spacing.ts';

export interface BudgetOptions {
  /** One whose commands fail at once while Redis is away. */
  readonly redis: Redis;
  readonly prefix: string;
  /** Tells one platform from another; no secret. */
  readonly platform: string;
  readonly requestsPerSecond: number;
}

/**
 * What all processes with the same Redis may send to a platform, counted there in whole seconds. While Redis is away each process
 * keeps to the rate by itself.
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
      // The clock of the server, or ours, was put back within a window, which would last until that is made up for.
      await limiter.delete(platform).catch(() => undefined);
      return longestMs;
    }
  };
}

/** The shortest window of whole seconds that has room for whole requests; a rate of 2.5 is 5 in two seconds. */
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
