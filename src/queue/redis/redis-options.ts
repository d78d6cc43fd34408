import type { Config } from '../../config/config-schema.ts';
import { trust } from '../../tls.ts';
import { isOutOfOffice } from './redis-server.ts';

export type RedisSettings = Omit<NonNullable<Config['redis']>, 'ca'> & { readonly ca?: string | undefined };

export const CONNECT_TIMEOUT_MS = 5_000;
const LONGEST_RECONNECT_MS = 3_000;

/**
 * The client's options: address, user, password and database of the URL, and what stands beside it. The URL
 * itself is not handed on, since the client takes an empty password of it for a password.
 */
export function redisOptions({ url, password, ca }: RedisSettings) {
  const { protocol, hostname, port, username, password: inUrl, pathname, searchParams } = new URL(url);
  const database = pathname.slice(1) || (searchParams.get('db') ?? '');
  const secret = password ?? decodeURIComponent(inUrl);
  return {
    ...(searchParams.has('family') && { family: Number(searchParams.get('family')) }),
    host: hostname.replace(/^\[|\]$/g, '') || 'localhost',
    port: Number(port || '6379'),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(secret !== '' && { password: secret }),
    ...(database !== '' && { db: Number(database) }),
    ...(protocol === 'rediss:' && { tls: trust(ca, 'redis.caFile') }),
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    // Also for the copies that BullMQ makes: old connections outlive a failover, and would be refused for ever.
    reconnectOnError: ({ message }: Error) => isOutOfOffice(message),
    retryStrategy: (attempts: number) => Math.min(LONGEST_RECONNECT_MS, 200 * attempts),
  };
}

/** Host and port, without any secret. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}
