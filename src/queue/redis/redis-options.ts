import type { ClusterOptions, RedisOptions } from 'ioredis';
import type { RedisAddress, RedisConfig } from '../../config/redis-schema.ts';
import { secure } from '../../tls.ts';
import { isOutOfOffice } from './redis-server.ts';
import { SteadySentinelConnector } from './sentinel-connector.ts';

export type RedisSettings = Partial<RedisConfig> & Pick<RedisConfig, 'prefix' | 'concurrency'>;

export const CONNECT_TIMEOUT_MS = 5_000;
const DISCONNECT_TIMEOUT_MS = 500;
const LONGEST_RECONNECT_MS = 3_000;
/** A sentinel that takes a question and does not answer counts as away after this time. */
const SENTINEL_TIMEOUT_MS = 2_000;
/** The longest time after which a client sees that the cluster has changed, if no reply tells it before. */
const CLUSTER_REFRESH_MS = 10_000;

const reconnectAfter = (attempts: number) => Math.min(LONGEST_RECONNECT_MS, 200 * attempts);

/** Returns what each connection to a server needs, whatever led to the server: login, TLS and times. */
export function loginOptions({ username, password, ...settings }: RedisSettings) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(settings.tls && { tls: secure(settings, 'redis.caFile, redis.certFile or redis.keyFile') }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    // A server that stands still does not end its side, and commands that wait for it go to the next master.
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    // The name and version of the client library would be one more right of the user.
    disableClientInfo: true,
  } satisfies RedisOptions;
}

/**
 * Returns the options of a client of one server: address, user, password, database and query parameters of
 * the URL. The URL itself is not handed on, because the client takes an empty password in it for a password.
 */
export function redisOptions({ url = '', password, ...settings }: RedisSettings) {
  const { protocol, hostname, port, username, password: inUrl, pathname, searchParams } = new URL(url);
  const database = pathname.slice(1) || (searchParams.get('db') ?? '');
  const secret = password ?? decodeURIComponent(inUrl);
  return {
    ...loginOptions({
      ...settings,
      tls: protocol === 'rediss:',
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(secret !== '' && { password: secret }),
    }),
    ...(searchParams.has('family') && { family: Number(searchParams.get('family')) }),
    host: hostname.replace(/^\[|\]$/g, '') || 'localhost',
    port: Number(port || '6379'),
    ...(database !== '' && { db: Number(database) }),
    ...followOptions,
  } satisfies RedisOptions;
}

/** What lets a client follow a failover. The options also serve the copies that BullMQ makes. */
const followOptions = {
  lazyConnect: true,
  // Otherwise an old connection would outlive a failover, and be refused for ever.
  reconnectOnError: ({ message }: Error) => isOutOfOffice(message),
  retryStrategy: reconnectAfter,
} satisfies RedisOptions;

/**
 * Returns what each connection to a sentinel needs. Its certificates are those of the servers if not given.
 */
export function sentinelLogin({ sentinels, ...settings }: RedisSettings) {
  const {
    username,
    password,
    tls,
    ca = settings.ca,
    cert = settings.cert,
    key = settings.key,
  } = sentinels ?? {};
  return loginOptions({ ...settings, username, password, tls, ca, cert, key });
}

/** Returns the options of a client that asks sentinels for its server. */
export function sentinelOptions(settings: RedisSettings) {
  const { nodes = [], master = '' } = settings.sentinels ?? {};
  const { username, password, tls }: RedisOptions = sentinelLogin(settings);
  return {
    ...loginOptions(settings),
    ...followOptions,
    Connector: SteadySentinelConnector,
    sentinels: nodes.map(({ host, port }) => ({ host, port })),
    name: master,
    ...(username !== undefined && { sentinelUsername: username }),
    ...(password !== undefined && { sentinelPassword: password }),
    ...(tls !== undefined && { sentinelTLS: tls }),
    enableTLSForSentinelMode: settings.tls === true,
    ...(settings.database !== undefined && { db: settings.database }),
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    sentinelRetryStrategy: reconnectAfter,
    // Without it, a client would stay with an old master that stands still, and write to it when it wakes up.
    failoverDetector: true,
    sentinelReconnectStrategy: reconnectAfter,
  } satisfies RedisOptions;
}

/** Returns the options of a client of a cluster. */
export function clusterOptions(isPatient: boolean) {
  return {
    lazyConnect: true,
    enableOfflineQueue: isPatient,
    clusterRetryStrategy: reconnectAfter,
    slotsRefreshInterval: CLUSTER_REFRESH_MS,
    slotsRefreshTimeout: SENTINEL_TIMEOUT_MS,
    // A patient command waits until the cluster has another master, as long as that takes.
    ...(isPatient && { maxRedirections: Number.MAX_SAFE_INTEGER }),
    retryDelayOnMoved: 50,
    retryDelayOnFailover: 200,
    retryDelayOnClusterDown: 200,
    // Names stay names: a certificate is for a name, and a name may lead elsewhere later.
    dnsLookup: (name, found) => found(null, name),
  } satisfies ClusterOptions;
}

/** Returns host and port, without any secret. */
export function addressOf({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Says which servers are meant, without any secret. */
export function describeTarget({ url, sentinels, cluster }: RedisSettings): string {
  if (sentinels !== undefined)
    return `the master ${sentinels.master} (sentinels ${sentinels.nodes.map(addressOf).join(', ')})`;
  if (cluster !== undefined) return `the cluster of ${cluster.map(addressOf).join(', ')}`;
  const { hostname, port } = new URL(url ?? '');
  return `${hostname || 'localhost'}:${port || '6379'}`;
}
