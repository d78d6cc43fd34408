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
 * Reads from the server's reply to INFO whether it is fit. Throws a `StoreError` for a server that is too old
 * or of another kind than the configuration says.
 */
export function checkRedisServer(info: string, address: string, inCluster = false): RedisFacts {
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
  const mode = fields.get('redis_mode');
  if (mode === 'sentinel' || (mode === 'cluster' && !inCluster))
    throw new StoreError(
      'redis.wrong_kind',
      mode === 'sentinel'
        ? `Redis at ${address}: it is a sentinel: name it in redis.sentinels.nodes, and remove redis.url`
        : `Redis at ${address}: it is a node of a cluster: name it in redis.cluster, and remove redis.url`,
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

/** The options of the configuration that lead to a server, for messages. */
export interface OptionNames {
  readonly server: string;
  readonly login: string;
  readonly tls: string;
  /** Begins the names of the options `caFile`, `certFile` and `keyFile`. */
  readonly files: string;
  /** What to do when the server cannot be reached. */
  readonly unreachable: string;
}

/** The meaning of a refused command, and what to do about it. */
export interface Remedy {
  readonly code: CodeOf<'redis'>;
  readonly action: Action;
  readonly remedy: string;
}

type Refusal = Omit<Remedy, 'remedy'> & {
  readonly said: RegExp;
  readonly remedy: string | ((names: OptionNames) => string);
};

const refusals: readonly Refusal[] = [
  // Waiting does not cure a refused login.
  {
    said: /^(NOAUTH|WRONGPASS|ERR (AUTH|invalid password))/,
    code: 'redis.wrong_password',
    action: 'stop',
    remedy: ({ login }) => `correct ${login}`,
  },
  {
    said: /^NOPERM/,
    code: 'redis.no_rights',
    action: 'stop',
    remedy: ({ login }) =>
      `the login is right, but the user lacks a right: let an administrator run ACL SETUSER there with the rights of docs/scaling.md, or correct ${login}`,
  },
  {
    said: /^(MOVED|ASK|CROSSSLOT|ERR SELECT is not allowed in cluster)/,
    code: 'redis.wrong_kind',
    action: 'stop',
    remedy: ({ server }) =>
      `the server is a node of a cluster: name nodes in redis.cluster, and remove ${server}`,
  },
  {
    said: /^ERR This instance has cluster support disabled/,
    code: 'redis.wrong_kind',
    action: 'stop',
    remedy: ({ server }) =>
      `the server is no node of a cluster: remove ${server}, and set redis.url or redis.sentinels`,
  },
  {
    said: /^ERR unknown command .?sentinel/i,
    code: 'redis.wrong_kind',
    action: 'stop',
    remedy: ({ server }) => `the server is no sentinel: correct ${server}`,
  },
  {
    said: /^ERR No such master/,
    code: 'redis.unknown_master',
    action: 'stop',
    remedy: () => 'the sentinels watch no master of this name: correct redis.sentinels.master',
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
    remedy: ({ server }) =>
      `the server is a replica, as after a failover: plantsync connects again; if this stays, let ${server} name the server that takes writes`,
  },
  {
    said: /^NOREPLICAS/,
    code: 'redis.no_replicas',
    action: 'retry',
    remedy:
      'the master has fewer replicas than its min-replicas-to-write: bring them back, or wait for the failover that cut it off',
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
  return /\b(READONLY|NOREPLICAS|LOADING|MASTERDOWN|CLUSTERDOWN)\b/.test(said);
}

/**
 * Returns what to do about a command that the server has refused. Returns undefined if the text is no
 * refusal.
 */
export function remedyOf(said: string, names: OptionNames): Remedy | undefined {
  const found = refusals.find((refusal) => refusal.said.test(said));
  if (found === undefined) return undefined;
  const { code, action, remedy } = found;
  return { code, action, remedy: typeof remedy === 'string' ? remedy : remedy(names) };
}

/**
 * Returns a reply without the text that BullMQ and scripts add to it, so that the same trouble reads the
 * same.
 */
export function bareReply(said: string): string {
  return said
    .replace(/^.*: -?(?=(OOM|READONLY|NOREPLICAS|NOPERM|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED) )/, '')
    .replace(/^Too many Cluster redirections\. Last error: \w*Error: /, '')
    .replace(/\.? script: .*$/s, '');
}
