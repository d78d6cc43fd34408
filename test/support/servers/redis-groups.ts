import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import { freePort, makeFolder, startProcess, type TestServer } from './process.ts';
import { ensureProgram, redisServer } from './programs.ts';

/** A server of a group. */
export interface RedisMember extends TestServer {
  readonly port: number;
  /** Opens a connection with all rights, which the caller closes. */
  admin(): Redis;
}

/** Lines of the configuration of a server. */
type Lines = readonly string[];

/** Certificates for TLS. Clients must show one of their own. */
export interface GroupCertificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

export interface GroupOptions {
  /** Password of the user `default` of the servers, who has all rights. */
  readonly password: string;
  readonly certificates?: GroupCertificates | undefined;
}

/** A master, two replicas and three sentinels. */
export interface SentinelGroup {
  readonly servers: readonly RedisMember[];
  readonly sentinels: readonly RedisMember[];
  /** The name of the master at the sentinels. */
  readonly name: string;
  /** Resolves to the server that the sentinels name as master. */
  master(): Promise<RedisMember>;
  close(): Promise<void>;
}

/** A node with nearly all slots, its two replicas, and two more nodes that can vote. */
export interface ClusterGroup {
  readonly nodes: readonly RedisMember[];
  /** Resolves to the node that serves nearly all slots. */
  master(): Promise<RedisMember>;
  close(): Promise<void>;
}

const NAME = 'plant';
/** A server that does not answer for this long counts as away at the others. */
const DOWN_AFTER_MS = 1_000;
/** The password of the user `default` of the sentinels. */
const SENTINEL_PASSWORD = 'sentinel-admin';

const loginLines = ({ password }: GroupOptions): Lines => [
  ...[`requirepass ${password}`, `masterauth ${password}`],
  'repl-diskless-sync-delay 0',
];

/** Starts a server with TLS, which asks clients for a certificate. */
export async function startTlsRedis(options: GroupOptions): Promise<RedisMember> {
  return startMember(loginLines(options), options);
}

/** Starts a master, two replicas and three sentinels that know each other. */
export async function startSentinels(options: GroupOptions): Promise<SentinelGroup> {
  const lines = loginLines(options);
  const first = await startMember(lines, options);
  const replicas = await Promise.all(
    [1, 2].map(() => startMember([...lines, `replicaof 127.0.0.1 ${first.port}`], options)),
  );
  const servers = [first, ...replicas];
  await hasReplicas(first, 2);
  const watch = [
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${first.port} 2`,
    `sentinel auth-pass ${NAME} ${options.password}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 6000`,
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map(() => startMember(watch, { password: SENTINEL_PASSWORD }, '--sentinel')),
  );
  const readField = (sentinel: RedisMember, name: string) =>
    asked(sentinel, async (admin) => {
      const fields = (await admin.call('SENTINEL', 'MASTER', NAME)) as string[];
      return Number(fields[fields.indexOf(name) + 1]);
    });
  for (const sentinel of sentinels)
    await until(
      async () =>
        (await readField(sentinel, 'num-other-sentinels')) === 2 &&
        (await readField(sentinel, 'num-slaves')) === 2,
    );
  return {
    ...{ servers, sentinels, name: NAME },
    async master() {
      const port = await readField(sentinels[0] as RedisMember, 'port');
      return servers.find((server) => server.port === port) as RedisMember;
    },
    close: () => closeAll([...sentinels, ...servers]),
  };
}

/** Starts five nodes and makes a cluster of them. */
export async function startCluster(options: GroupOptions): Promise<ClusterGroup> {
  const lines = [
    ...['cluster-enabled yes', `cluster-node-timeout ${DOWN_AFTER_MS}`, 'cluster-replica-validity-factor 0'],
    ...loginLines(options),
  ];
  // The nodes talk at ports of their own, because the usual one may be that of somebody's connection.
  const ports = await Promise.all([1, 2, 3, 4, 5].map(() => freePort()));
  const nodes = await Promise.all(
    ports.map((port) => startMember([...lines, `cluster-port ${port}`], options)),
  );
  const [first, second, third, ...replicas] = nodes as [RedisMember, RedisMember, RedisMember];
  const ranges = [
    [first, 0, 16_381],
    [second, 16_382, 16_382],
    [third, 16_383, 16_383],
  ] as const;
  const tell = (node: RedisMember, ...words: (string | number)[]) =>
    asked(node, async (admin) => String(await admin.call('CLUSTER', ...words)));
  for (const [node, from, to] of ranges) await tell(node, 'ADDSLOTSRANGE', from, to);
  for (const node of nodes.slice(1)) await tell(node, 'MEET', '127.0.0.1', first.port, ports[0] ?? 0);
  for (const node of nodes)
    await until(async () => /cluster_state:ok[\s\S]*cluster_known_nodes:5/.test(await tell(node, 'INFO')));
  const id = await tell(first, 'MYID');
  for (const replica of replicas) await tell(replica, 'REPLICATE', id);
  await hasReplicas(first, 2);
  return {
    nodes,
    async master() {
      const told = (await tell(second, 'NODES')).split('\n');
      const line = told.find((each) => /master.* 0-16381/.test(each)) ?? '';
      return nodes.find(({ port }) => line.includes(`127.0.0.1:${port}@`)) as RedisMember;
    },
    close: () => closeAll(nodes),
  };
}

async function hasReplicas(member: RedisMember, count: number): Promise<void> {
  await until(async () => {
    const told = await asked(member, (admin) => admin.info('replication'));
    return told.match(/state=online/g)?.length === count;
  });
}

async function startMember(
  lines: Lines,
  { password, certificates }: GroupOptions,
  ...args: string[]
): Promise<RedisMember> {
  const command = await ensureProgram(redisServer);
  const folder = await makeFolder('redis-group');
  const port = await freePort();
  const common = ['bind 127.0.0.1', `dir ${folder}`, 'save ""', 'enable-debug-command local'];
  await writeFile(
    join(folder, 'redis.conf'),
    [...common, ...(await linesOfPort(port, folder, certificates)), ...lines, ''].join('\n'),
  );
  const options: RedisOptions = {
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    ...(certificates !== undefined && { tls: { ca: certificates.ca, ...certificates.client } }),
    retryStrategy: () => null,
  };
  const admin = () => {
    const client = new Redis(options as object);
    client.on('error', () => undefined);
    return client;
  };
  const server = await startProcess({
    command,
    args: [join(folder, 'redis.conf'), ...args],
    url: `redis://127.0.0.1:${port}`,
    folder,
    isReady: () =>
      withClient(admin(), (client) => client.ping()).then(
        () => true,
        () => false,
      ),
  });
  return { ...server, port, admin };
}

async function linesOfPort(
  port: number,
  folder: string,
  certificates: GroupCertificates | undefined,
): Promise<Lines> {
  if (certificates === undefined) return [`port ${port}`];
  const files = { ca: certificates.ca, ...certificates.server };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, `${name}.pem`), content);
  return [
    ...['port 0', `tls-port ${port}`, 'tls-cluster yes', 'tls-replication yes'],
    ...[
      `tls-ca-cert-file ${folder}/ca.pem`,
      `tls-cert-file ${folder}/cert.pem`,
      `tls-key-file ${folder}/key.pem`,
    ],
  ];
}

async function asked<T>(member: RedisMember, question: (admin: Redis) => Promise<T>): Promise<T> {
  return withClient(member.admin(), question);
}

async function withClient<T>(client: Redis, work: (client: Redis) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await sleep(50);
}

async function closeAll(members: readonly TestServer[]): Promise<void> {
  await Promise.all(members.map((member) => member.close()));
}
