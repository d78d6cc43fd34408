import { randomUUID } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedBudget } from '../../platform/transport/request-spacing.ts';
import type { RedisClient } from './open-client.ts';

export interface BudgetOptions {
  /** A client whose commands fail at once while Redis is down. */
  readonly redis: RedisClient;
  readonly prefix: string;
  /** Identity of the platform, without any secret. */
  readonly platform: string;
  readonly requestsPerSecond: number;
}

/** A process that has taken nothing for this long has no share any more. */
const FORGET_MS = 60_000;

/**
 * Counts a request in the window of all processes, and notes the process as one that shares it. The window
 * begins with its first request. Scores of a clock that was put back since are removed too.
 */
const TAKE = [
  "local taken = redis.call('incr', KEYS[1])",
  "local left = redis.call('pttl', KEYS[1])",
  'if left < 0 then',
  '  left = tonumber(ARGV[1])',
  "  redis.call('pexpire', KEYS[1], left)",
  'end',
  "local time = redis.call('time')",
  'local now = time[1] * 1000 + math.floor(time[2] / 1000)',
  "redis.call('zadd', KEYS[2], now, ARGV[2])",
  "redis.call('zremrangebyscore', KEYS[2], '-inf', now - ARGV[3])",
  "redis.call('zremrangebyscore', KEYS[2], '(' .. now, '+inf')",
  "redis.call('pexpire', KEYS[2], ARGV[3])",
  "return {taken, left, redis.call('zcard', KEYS[2])}",
].join('\n');

/**
 * Opens the budget of requests that all processes with the same Redis share for a platform. Redis counts
 * requests in windows of whole seconds. While Redis is down, each process keeps to its share by itself: the
 * rate, divided by the processes that Redis knew last.
 */
export function openRequestBudget({
  redis,
  prefix,
  platform,
  requestsPerSecond,
}: BudgetOptions): SharedBudget {
  const { points, duration } = windowOf(requestsPerSecond);
  const windowMs = duration * 1000;
  const window = `${prefix}:requests:${platform}`;
  const own = randomUUID();
  let sharers = 1;
  let alone = new RateLimiterMemory(windowOf(requestsPerSecond));
  const take = async (): Promise<number> => {
    const [taken, leftMs, now] = (await redis.eval(
      ...([TAKE, 2, window, `${window}:processes`, windowMs, own, FORGET_MS] as const),
    )) as [number, number, number];
    if (now !== sharers) {
      sharers = now;
      alone = new RateLimiterMemory(windowOf(requestsPerSecond / sharers));
    }
    if (taken <= points) return 0;
    if (leftMs <= windowMs) return Math.max(1, leftMs);
    // The clock of the server was put back within a window. Without the delete, the window would last until
    // the clock has caught up.
    await redis.del(window);
    return windowMs;
  };
  return async () => {
    if (redis.status !== 'ready') return takeAlone(alone);
    return take().catch(() => takeAlone(alone));
  };
}

/** Takes a request out of the share of this process. Resolves as a `SharedBudget` does. */
async function takeAlone(share: RateLimiterMemory): Promise<number> {
  try {
    await share.consume('own');
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return Math.max(1, refusal.msBeforeNext);
  }
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
