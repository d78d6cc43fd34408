import type { Config } from '../../config/config-schema.ts';
import { trust } from '../../tls.ts';
import { isOutOfOffice } from './redis-server.ts';

export type RedisSettings = Omit<NonNullable<Config['redis']>, 'ca'> & { readonly ca?: string | undefined };

export const CONNECT_TIMEOUT_MS = 5_000;
const LONGEST_RECONNECT_MS = 3_000;

/**
 * Returns the client's options: address, user, password, database and query parameters of the URL. The URL
 * itself is not handed on, because the client takes an empty password in it for a password.
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
    // The option also serves the copies that BullMQ makes. Otherwise an old connection would outlive a
    // failover, and be refused for ever.
    reconnectOnError: ({ message }: Error) => isOutOfOffice(message),
    retryStrategy: (attempts: number) => Math.min(LONGEST_RECONNECT_MS, 200 * attempts),
  };
}

/** Returns host and port of a URL, without any secret. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}
