import { StoreError } from '../../errors.ts';

/** The name of this server in a `StoreError`. */
export const REDIS_STORE = 'redis';

/** What BullMQ needs at least, and what spares it work-arounds. */
const oldestVersion = [5, 0] as const;

export interface RedisFacts {
  readonly version: string;
  readonly policy: string;
  /** What does not keep it from working, but may lose jobs. */
  readonly warning: string | undefined;
}

/** What the text that the server gives for INFO says of its fitness. Throws for a server that cannot serve. */
export function checkRedisServer(info: string, address: string): RedisFacts {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  // Valkey tells the version of Redis that it is compatible with there.
  const version = fields.get('redis_version') ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw new StoreError(
      `Redis at ${address}: version ${version} is too old: ${oldestVersion.join('.')} or newer is needed`,
      REDIS_STORE,
      'stop',
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

const refusals: readonly { said: RegExp; action: 'retry' | 'stop'; remedy: string }[] = [
  // A login that was refused is nothing that waiting cures.
  {
    said: /^(NOAUTH|WRONGPASS|ERR (AUTH|invalid password))/,
    action: 'stop',
    remedy: 'correct the user in redis.url or redis.password',
  },
  {
    said: /^NOPERM/,
    action: 'stop',
    remedy:
      'the login is right, but the user may not do that: let an administrator run there ACL SETUSER with the rights of docs/scaling.md',
  },
  { said: /^OOM/, action: 'retry', remedy: 'its memory is full: raise maxmemory there' },
  {
    said: /^MISCONF/,
    action: 'retry',
    remedy: 'it cannot write to its disk: make room, or see its log',
  },
  {
    said: /^READONLY/,
    action: 'retry',
    remedy:
      'it is a replica, as after a failover: it is connected to again; if this stays, let redis.url name the one that takes writes',
  },
  { said: /^LOADING/, action: 'retry', remedy: 'it reads its data from its disk: this ends by itself' },
  {
    said: /^MASTERDOWN/,
    action: 'retry',
    remedy: 'it is a replica that has lost its master: see to that one',
  },
  { said: /^CLUSTERDOWN/, action: 'retry', remedy: 'its cluster is incomplete: see to the other nodes' },
];

/** Replies of a server that has lost its part to another one: whoever connects again to its address may find that one. */
export function isOutOfOffice(said: string): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/.test(said);
}

/** What to do about a command that the server has refused; undefined if this is no refusal. */
export function remedyOf(said: string): { action: 'retry' | 'stop'; remedy: string } | undefined {
  return refusals.find((refusal) => refusal.said.test(said));
}

/** A reply without what BullMQ and scripts add to it, so that the same trouble reads the same. */
export function bareReply(said: string): string {
  return said
    .replace(/^.*: -?(?=(OOM|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN) )/, '')
    .replace(/\.? script: .*$/s, '');
}
