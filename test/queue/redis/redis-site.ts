import { readFileSync } from 'node:fs';
import type { RedisSettings } from '../../../src/queue/redis/redis-connections.ts';
import {
  type ClusterGroup,
  type GroupCertificates,
  type RedisMember,
  type SentinelGroup,
  startCluster,
  startSentinels,
} from '../../support/servers/redis-groups.ts';

const ADMIN_PASSWORD = 'admin';
/** The login of plantsync, which has the rights of the documentation and no other. */
export const USER = 'plantsync';
export const PASSWORD = 'its-own';
export const SENTINEL_PASSWORD = 'its-sentinels';

/** Several real servers, and what plantsync is told of them. */
export interface RedisSite {
  /** The options of `redis` that lead to the servers. */
  readonly settings: Omit<RedisSettings, 'concurrency'>;
  readonly master: () => Promise<RedisMember>;
  /** The servers that have the data. */
  readonly servers: readonly RedisMember[];
  close(): Promise<void>;
}

/** Reads the rights of `docs/scaling.md` in the form of arguments for ACL SETUSER. */
function readRights(about: string, prefix: string, password: string): string[] {
  const text = readFileSync('docs/scaling.md', 'utf8');
  const blocks = [...text.matchAll(/ACL SETUSER plantsync ([^`]*)```/g)].map(([, rights = '']) => rights);
  const rights = blocks.find((block) => block.includes(about)) ?? '';
  return rights.replace('PASSWORD', password).replace('plantsync:', `${prefix}:`).trim().split(/\s+/);
}

/** Runs a command of an administrator. */
export async function administer(member: RedisMember, ...words: readonly string[]): Promise<unknown> {
  const admin = member.admin();
  const [command = '', ...rest] = words;
  return admin.call(command, ...rest).finally(() => admin.disconnect());
}

async function makeUsers(members: readonly RedisMember[], rights: readonly string[]): Promise<void> {
  await Promise.all(members.map((member) => administer(member, 'ACL', 'SETUSER', USER, ...rights)));
}

const addressesOf = (members: readonly RedisMember[]) =>
  members.map(({ port }) => ({ host: '127.0.0.1', port }));

export interface SentinelSite extends RedisSite {
  readonly group: SentinelGroup;
}

/** Starts servers behind sentinels, each kind with a login of its own. */
export async function openSentinelSite(prefix: string): Promise<SentinelSite> {
  const group = await startSentinels({ password: ADMIN_PASSWORD });
  await Promise.all([
    makeUsers(group.servers, readRights('+eval', prefix, PASSWORD)),
    makeUsers(group.sentinels, readRights('+sentinel', prefix, SENTINEL_PASSWORD)),
  ]);
  const sentinels = {
    ...{ nodes: addressesOf(group.sentinels), master: group.name, tls: false },
    ...{ username: USER, password: SENTINEL_PASSWORD, ca: undefined, cert: undefined, key: undefined },
  };
  const settings = { prefix, sentinels, username: USER, password: PASSWORD };
  return { group, settings, servers: group.servers, master: group.master, close: () => group.close() };
}

export interface ClusterSite extends RedisSite {
  readonly group: ClusterGroup;
}

/** Starts a cluster with TLS that asks for client certificates. Plantsync is told two of its nodes. */
export async function openClusterSite(name: string, certificates: GroupCertificates): Promise<ClusterSite> {
  const group = await startCluster({ password: ADMIN_PASSWORD, certificates });
  const prefix = `{${name}}`;
  await makeUsers(group.nodes, readRights('+eval', prefix, PASSWORD));
  const settings = {
    ...{ prefix, cluster: addressesOf(group.nodes.slice(0, 2)), username: USER, password: PASSWORD },
    ...{ tls: true, ca: certificates.ca, ...certificates.client },
  };
  return { group, settings, servers: group.nodes, master: group.master, close: () => group.close() };
}
