import type { Config } from '../../config/config-schema.ts';
import { PlantsyncError, StoreError } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import type { Check } from './check.ts';

const GREATEST_SKEW_MS = 60_000;

/** Lists the checks of the platform itself: health, token and clock. */
export function checksOfPlatform(config: Config, platform: Platform): Check[] {
  const { baseUrl } = config.platform;
  return [
    {
      what: 'platform and token',
      remedy: 'look at the platform itself: it answers, but with an error',
      needsToken: true,
      look: async () => {
        await platform.call('getHealth', {}, { retries: 1, deadlineMs: 15_000 });
        return `${new URL(baseUrl).host} is healthy and gave a token`;
      },
    },
    {
      what: 'clock',
      remedy: 'set the clocks of both machines by NTP: points with times in the future are read late',
      needsToken: true,
      look: async () => describeSkew(platform.clockSkewMs()),
    },
  ];
}

function describeSkew(skewMs: number | undefined): string {
  if (skewMs === undefined)
    throw new PlantsyncError('platform.clock_unknown', 'the platform has not told its time');
  const text = `the platform's clock is ${Math.abs(skewMs / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  if (Math.abs(skewMs) > GREATEST_SKEW_MS) throw new PlantsyncError('platform.clock_skew', text);
  return text;
}

/** Lists the check of Redis, if it is configured. */
export function checksOfRedis(redis: RedisConnections | undefined): Check[] {
  if (redis === undefined) return [];
  const look = async (): Promise<string> => {
    const { version, policy, warning } = await redis.connect();
    if (warning !== undefined) throw new StoreError('redis.noeviction', warning, { action: 'stop' });
    const servers = (await redis.describeServers()) ?? redis.address;
    return `version ${version} at ${servers}, maxmemory-policy ${policy}`;
  };
  return [{ what: 'Redis', look }];
}
