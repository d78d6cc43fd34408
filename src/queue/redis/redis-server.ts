import type { CodeOf } from '../../error-codes/error-codes.ts';
import { type Action, StoreError } from '../../errors.ts';

/** The oldest version with all that BullMQ needs, and without the need for work-arounds. */
const oldestVersion = [5, 0] as const;

export interface RedisFacts {
  readonly version: string;
  readonly policy: string;
  /** A setting of the server that does not keep it from working, but may lose jobs. */
  readonly warning: string | undefined;
}

/**
 * Reads from the server's reply to INFO whether it is fit. Throws a `StoreError` for a server that is too
 * old.
 */
export function checkRedisServer(info: string, address: string): RedisFacts {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  // Valkey states here the version of Redis that it is compatible with.
  const version = fields.get('redis_version') ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw new StoreError(
      'redis.too_old',
      `Redis at ${address}: version ${version} is too old: ${oldestVersion.join('.')} or newer is needed`,
      { action: 'stop' },
    );
  const policy = fields.get('maxmemory_policy') ?? 'unknown';
  const isSafe = policy === 'noeviction' || policy === 'unknown';
  return {
    version,
    policy,
    warning: isSafe
      ? undefined
      : `Redis at ${address} may drop jobs and locks when its memory is short (maxmemory-policy ${policy}): set maxmemory-policy to noeviction there`,
  };
}

/** The meaning of a refused command, and what to do about it. */
interface Remedy {
  readonly code: CodeOf<'redis'>;
  readonly action: Action;
  readonly remedy: string;
}

const refusals: readonly (Remedy & { readonly said: RegExp })[] = [
  // Waiting does not cure a refused login.
  {
    said: /^(NOAUTH|WRONGPASS|ERR (AUTH|invalid password))/,
    code: 'redis.wrong_password',
    action: 'stop',
    remedy: 'correct the user in redis.url or redis.password',
  },
  {
    said: /^NOPERM/,
    code: 'redis.no_rights',
    action: 'stop',
    remedy:
      'the login is right, but the user lacks a right: let an administrator run ACL SETUSER there with the rights of docs/scaling.md',
  },
  {
    said: /^OOM/,
    code: 'redis.memory_full',
    action: 'retry',
    remedy: 'its memory is full: raise maxmemory there',
  },
  {
    said: /^MISCONF/,
    code: 'redis.disk_failed',
    action: 'retry',
    remedy: 'the server cannot write to its disk: make room, or see its log',
  },
  {
    said: /^READONLY/,
    code: 'redis.read_only',
    action: 'retry',
    remedy:
      'the server is a replica, as after a failover: plantsync connects again; if this stays, let redis.url name the server that takes writes',
  },
  {
    said: /^LOADING/,
    code: 'redis.loading',
    action: 'retry',
    remedy: 'the server is reading its data from its disk: this ends by itself',
  },
  {
    said: /^MASTERDOWN/,
    code: 'redis.master_down',
    action: 'retry',
    remedy: 'the server is a replica that has lost its master: see to the master',
  },
  {
    said: /^CLUSTERDOWN/,
    code: 'redis.cluster_down',
    action: 'retry',
    remedy: 'its cluster is incomplete: see to the other nodes',
  },
];

/**
 * Returns true for replies of a server that has lost its part to another one. A new connection to its address
 * may find that other server.
 */
export function isOutOfOffice(said: string): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/.test(said);
}

/**
 * Returns what to do about a command that the server has refused. Returns undefined if the text is no
 * refusal.
 */
export function remedyOf(said: string): Remedy | undefined {
  return refusals.find((refusal) => refusal.said.test(said));
}

/**
 * Returns a reply without the text that BullMQ and scripts add to it, so that the same trouble reads the
 * same.
 */
export function bareReply(said: string): string {
  return said
    .replace(/^.*: -?(?=(OOM|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN) )/, '')
    .replace(/\.? script: .*$/s, '');
}
