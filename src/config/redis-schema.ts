import { z } from 'zod';
import { boolean, formed, integer, text, texts, url } from './fields.ts';
import { isTree, type Tree } from './tree.ts';

/** Accepts the number of jobs of one queue that one worker process runs at once. */
const atOnce = (fallback: number, what: string) =>
  integer(1, 1_000).prefault(fallback).describe(`Most ${what} at once in one worker process.`);

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port behind it or without. */
const ADDRESS = /^(\[[\da-fA-F:.%]+\]|[^\s:/@,[\]]+)(?::(\d{1,5}))?$/;

/** Host and port of a server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Accepts the addresses of one or several servers, each as host:port. */
function addresses(defaultPort: number) {
  return texts(`give addresses such as redis-1.example:${defaultPort}`).transform((list, context) =>
    list.flatMap((address): RedisAddress[] => {
      const [, host = '', port = String(defaultPort)] = ADDRESS.exec(address) ?? [];
      if (host !== '' && Number(port) > 0 && Number(port) < 65_536)
        return [{ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }];
      // A wrong address may hold a password, so the message does not repeat it.
      context.addIssue(
        `holds what is not an address such as redis-1.example:${defaultPort}: write each without redis:// and without a user, and TLS as tls: true`,
      );
      return [];
    }),
  );
}

const username = () => text().optional();
const password = () => text().optional().describe('Password as it is, without any encoding.');
const passwordFile = () => text().optional().describe('File that holds the password.');
const certificateFiles = {
  caFile: text()
    .optional()
    .describe('PEM file of the authority that signed the server’s certificate; with TLS.'),
  certFile: text().optional().describe('PEM file of a client certificate; with TLS.'),
  keyFile: text().optional().describe('PEM file of the key of the client certificate.'),
};

const sentinelsSchema = z
  .strictObject({
    nodes: addresses(26_379).describe('Addresses of the sentinels, each as host:port.'),
    master: text('the name under which the sentinels watch the master, such as mymaster').describe(
      'Name under which the sentinels watch the master.',
    ),
    username: username().describe('User of the sentinels, if they have a login of their own.'),
    password: password(),
    passwordFile: passwordFile(),
    tls: boolean().optional().describe('Whether the sentinels are reached by TLS.'),
    ...certificateFiles,
  })
  .transform(({ passwordFile: _, caFile: ca, certFile: cert, keyFile: key, tls = false, ...rest }) => ({
    ...rest,
    ...{ tls, ca, cert, key },
  }));

/** Redis, if several processes share the work. The output is undefined without a server. */
export const redisSchema = z
  .strictObject({
    url: url({
      protocols: ['redis', 'rediss'],
      example: 'redis://host:6379/0 (a password goes into redis.password)',
      credentials: true,
    })
      .optional()
      .describe('Address of the server, rediss for TLS; without a server all jobs run in one process.'),
    sentinels: sentinelsSchema
      .optional()
      .describe('Sentinels, which know the master of several servers, if there is no url.'),
    cluster: addresses(6_379)
      .optional()
      .describe('Some nodes of a cluster, each as host:port, if there is no url.'),
    username: username().describe('User of the server; with sentinels or cluster.'),
    password: password(),
    passwordFile: passwordFile(),
    database: integer(0, 1_000_000).optional().describe('Number of the database; with sentinels.'),
    tls: boolean().optional().describe('Whether the server is reached by TLS; with sentinels or cluster.'),
    ...certificateFiles,
    prefix: formed(/^[\w.{}-]{1,60}$/, 'must be a short name of letters, digits and _ . - { }')
      .prefault('plantsync')
      .describe('Beginning of all keys: installations that share a server need different ones.'),
    concurrency: z
      .strictObject({
        live: atOnce(8, 'polls and deliveries'),
        sync: atOnce(4, 'scans, increments and sweeps'),
        bulk: atOnce(2, 'verifications and pieces of a backfill'),
      })
      .prefault({})
      .describe('How much of each queue a worker process takes.'),
  })
  .superRefine(checkKeys, { when: ({ value }) => isTree(value) })
  .transform(({ passwordFile: _, caFile: ca, certFile: cert, keyFile: key, ...rest }) => {
    const { url: address, sentinels, cluster, prefix } = rest;
    if (address === undefined && sentinels === undefined && cluster === undefined) return undefined;
    return { ...rest, ...{ ca, cert, key }, prefix: cluster === undefined ? prefix : inOneSlot(prefix) };
  });

/** A prefix that chooses the slot of all its keys: it has one part in braces, which is not empty. */
const ONE_SLOT = /^[^{}]*\{[^{}]+\}[^{}]*$/;

/**
 * Returns the prefix in braces, unless a part of it is. A cluster puts keys into one slot whose parts in
 * braces are equal, and only keys of one slot can be changed together.
 */
function inOneSlot(prefix: string): string {
  return ONE_SLOT.test(prefix) ? prefix : `{${prefix}}`;
}

const ways = ['url', 'sentinels', 'cluster'] as const;
const loginsOfUrl = {
  username: 'write the user into redis.url, such as redis://user@host',
  database: 'write the database into redis.url, such as redis://host:6379/1',
  tls: 'redis.url says it: rediss is TLS, redis is not',
} as const;

/**
 * Checks how the options fit together. This also runs when other options are wrong, so each may be anything.
 */
function checkKeys(keys: Tree, context: z.RefinementCtx): void {
  const add = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: path.split('.'), message });
  const [way, other] = ways.filter((key) => keys[key] !== undefined);
  if (way === undefined) {
    const about = ['username', 'password', 'database', 'tls', ...Object.keys(certificateFiles)].find(
      (key) => keys[key] !== undefined,
    );
    if (about !== undefined)
      add('url', `missing: the server that ${about} is about (or give redis.sentinels or redis.cluster)`);
    return;
  }
  if (other !== undefined)
    add(
      other,
      `give only one of redis.${way} and redis.${other}: url names one server, sentinels find the master of several, cluster names nodes of a cluster`,
    );
  else if (way === 'url') checkUrl(keys, add);
  else checkMembers(keys, way, add);
  if (isTree(keys.sentinels)) {
    const { sentinels } = keys;
    const addOfSentinels: AddIssue = (path, message) => add(`sentinels.${path}`, message);
    checkCertificates(sentinels, sentinels.tls === true, {
      add: addOfSentinels,
      remedy: 'set redis.sentinels.tls: true',
    });
  }
}

type AddIssue = (path: string, message: string) => void;

function checkUrl(keys: Tree, add: AddIssue): void {
  for (const [key, remedy] of Object.entries(loginsOfUrl)) if (keys[key] !== undefined) add(key, remedy);
  if (typeof keys.url !== 'string' || !URL.canParse(keys.url)) return;
  const hasTls = keys.url.startsWith('rediss:');
  checkCertificates(keys, hasTls, { add, remedy: 'let redis.url begin with rediss' });
  if (new URL(keys.url).password && keys.password !== undefined)
    add('password', 'give it either here or in url, not both');
}

function checkMembers(keys: Tree, way: 'sentinels' | 'cluster', add: AddIssue): void {
  checkCertificates(keys, keys.tls === true, { add, remedy: 'set redis.tls: true' });
  if (way !== 'cluster') return;
  if (keys.database !== undefined && keys.database !== 0)
    add('database', 'a cluster has only database 0: leave it out, and give redis.prefix a name of its own');
  if (typeof keys.prefix === 'string' && /[{}]/.test(keys.prefix) && !ONE_SLOT.test(keys.prefix))
    add('prefix', 'in a cluster it may have one part in braces, which is not empty, or none');
}

function checkCertificates(keys: Tree, hasTls: boolean, say: { add: AddIssue; remedy: string }): void {
  const given = ['ca', 'cert', 'key', 'caFile', 'certFile', 'keyFile'].filter(
    (key) => keys[key] !== undefined,
  );
  const [first] = given;
  const named = (key: string) => (key.endsWith('File') ? key : `${key}File`);
  if (first !== undefined && !hasTls) say.add(named(first), `is used only with TLS: ${say.remedy}`);
  const names = given.map(named);
  if (names.includes('certFile') !== names.includes('keyFile'))
    say.add(
      names.includes('certFile') ? 'keyFile' : 'certFile',
      'missing: a client certificate needs both certFile and keyFile',
    );
}

export type RedisConfig = NonNullable<z.output<typeof redisSchema>>;
