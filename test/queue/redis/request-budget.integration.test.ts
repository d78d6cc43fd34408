import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { RedisConnections } from '../../../src/queue/redis/redis-connections.ts';
import { openRequestBudget, windowOf } from '../../../src/queue/redis/request-budget.ts';
import { startRedis } from '../../support/servers/servers.ts';
import { redisSettings } from '../open-engines.ts';
import { until } from '../recorded-job.ts';

describe('a budget of requests', () => {
  it('is one for all processes, also while Redis is away: then each has its share', async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const settings = redisSettings({ url: server.url, prefix: 'p' });
    const redis = new RedisConnections(settings, silentLog);
    await redis.connect();
    onTestFinished(() => redis.close());
    const open = (platform: string) =>
      openRequestBudget({ redis: redis.hasty, prefix: 'p', platform, requestsPerSecond: 10 });
    const [one, other, apart] = [open('a'), open('a'), open('b')];
    const waits = await Promise.all(Array.from({ length: 15 }, () => [one(), other()]).flat());
    expect(waits.filter((ms) => ms === 0)).toHaveLength(10);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
    expect(await apart(), 'another platform').toBe(0);

    await server.kill();
    await until(() => redis.hasty.status !== 'ready');
    const alone = await Promise.all(Array.from({ length: 15 }, () => [one(), other()]).flat());
    expect(alone.filter((ms) => ms === 0)).toHaveLength(10);
  });

  it('is counted over whole seconds that have room for whole requests', () => {
    expect([20, 2.5, 0.5, 0.01, 1 / 3].map(windowOf)).toEqual([
      { points: 20, duration: 1 },
      { points: 5, duration: 2 },
      { points: 1, duration: 2 },
      { points: 1, duration: 100 },
      { points: 1, duration: 3 },
    ]);
  });
});
