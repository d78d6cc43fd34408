import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { RedisAddress } from '../../config/redis-schema.ts';
import { messageOf } from '../../errors.ts';
import { addressOf, loginOptions, type RedisSettings, sentinelLogin } from './redis-options.ts';
import { findRemedy, namesOf, sentinelNames, type Trouble } from './redis-trouble.ts';

/** A server that plantsync needs or that stands in for one, and its state. */
export interface RedisMember {
  readonly role: 'sentinel' | 'master' | 'replica';
  readonly address: string;
  /** Why the member cannot be used. Undefined if it can. */
  readonly away?: string | undefined;
}

export interface RedisSurvey {
  readonly members: readonly RedisMember[];
  /** What keeps Redis from being used. Undefined if nothing does. */
  readonly trouble?: Trouble | undefined;
}

/**
 * A server that has not answered a question of the survey within this time is away. The whole survey, of
 * sentinels and then of their master, has to fit into one look of the service at Redis.
 */
const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Asks sentinels and servers for their state, each over a short connection of its own. So the survey also
 * tells why a client has no connection.
 */
export async function surveyRedis(settings: RedisSettings): Promise<RedisSurvey> {
  if (settings.sentinels !== undefined) return surveySentinels(settings, settings.sentinels);
  if (settings.cluster !== undefined) return surveyCluster(settings, settings.cluster);
  return { members: [] };
}

/** Says who is there and who is away, in one line. */
export function describeMembers(members: readonly RedisMember[]): string {
  const titles = { master: 'master', replica: 'replicas', sentinel: 'sentinels' } as const;
  const parts = (['master', 'replica', 'sentinel'] as const).flatMap((role) => {
    const some = members.filter((member) => member.role === role);
    const shown = some.map(({ address, away }) =>
      away === undefined ? address : `${address} away (${away})`,
    );
    const title = role === 'master' && some.length > 1 ? 'masters' : titles[role];
    return some.length === 0 ? [] : [`${title} ${shown.join(', ')}`];
  });
  return parts.join('; ');
}

type Sentinels = NonNullable<RedisSettings['sentinels']>;

async function surveySentinels(settings: RedisSettings, { nodes, master }: Sentinels): Promise<RedisSurvey> {
  const login = sentinelLogin(settings);
  const answers = await Promise.all(
    nodes.map((node) =>
      ask(node, login, async (client) => ({
        master: toFields(await client.call('SENTINEL', 'MASTER', master)),
        replicas: ((await client.call('SENTINEL', 'REPLICAS', master)) as unknown[]).map(toFields),
      })),
    ),
  );
  const sentinels = answers.map(({ node, error }) => toMember('sentinel', addressOf(node), error));
  const told = answers.find(({ reply }) => reply !== undefined)?.reply;
  if (told === undefined) {
    const [first] = answers.toSorted((a, b) => urgency(b.error) - urgency(a.error));
    const who = `Redis sentinel at ${first === undefined ? 'no address' : addressOf(first.node)}`;
    return { members: sentinels, trouble: { error: first?.error, names: sentinelNames, who } };
  }
  const at = { host: told.master.get('ip') ?? '', port: Number(told.master.get('port')) };
  const { error } = await ask(at, loginOptions(settings), (client) => client.ping());
  const who = `Redis master ${master} at ${addressOf(at)}`;
  const replicas = told.replicas.map((fields) =>
    toMember(
      'replica',
      addressOf({ host: fields.get('ip') ?? '', port: Number(fields.get('port')) }),
      problemOfFlags(fields.get('flags')),
    ),
  );
  return {
    members: [toMember('master', addressOf(at), error), ...replicas, ...sentinels],
    ...(error !== undefined && { trouble: { error, names: namesOf(settings), who } }),
  };
}

async function surveyCluster(settings: RedisSettings, nodes: readonly RedisAddress[]): Promise<RedisSurvey> {
  const answers = await Promise.all(
    nodes.map((node) =>
      ask(node, loginOptions(settings), async (client) => ({
        nodes: String(await client.cluster('NODES')),
        info: String(await client.cluster('INFO')),
      })),
    ),
  );
  const told = answers.find(({ reply }) => reply !== undefined)?.reply;
  const names = namesOf(settings);
  if (told === undefined) {
    const [first] = answers.toSorted((a, b) => urgency(b.error) - urgency(a.error));
    const who = `Redis cluster node at ${first === undefined ? 'no address' : addressOf(first.node)}`;
    return {
      members: answers.map(({ node, error }) => toMember('master', addressOf(node), error)),
      trouble: { error: first?.error, names, who },
    };
  }
  const members = told.nodes.split(/\r?\n/).filter(Boolean).map(readNode);
  const isWhole = /cluster_state:ok/.test(told.info);
  return {
    members,
    ...(!isWhole && {
      trouble: {
        error: new Error('CLUSTERDOWN its state is not ok'),
        names,
        who: `Redis cluster (${describeMembers(members)})`,
      },
    }),
  };
}

/** Reads a line of CLUSTER NODES, such as `id 10.0.0.1:6379@16379,name master - 0 0 1 connected 0-99`. */
function readNode(line: string): RedisMember {
  const [, place = '', flags = '', , , , , link] = line.split(' ');
  const address = place.replace(/[@,].*$/, '');
  return toMember(
    flags.includes('master') ? 'master' : 'replica',
    address,
    problemOfFlags(flags) ?? (link === 'connected' || flags.includes('myself') ? undefined : 'not connected'),
  );
}

function problemOfFlags(flags = ''): string | undefined {
  return /\b(s_down|o_down|disconnected|fail|noaddr|handshake)\b/.exec(flags)?.[0];
}

function toMember(role: RedisMember['role'], address: string, problem: unknown): RedisMember {
  return problem === undefined ? { role, address } : { role, address, away: messageOf(problem) };
}

/** A refusal says more than a server that does not answer. */
function urgency(error: unknown): number {
  if (error === undefined) return 0;
  return findRemedy(error, sentinelNames).code === 'redis.unreachable' ? 1 : 2;
}

interface Answer<Reply> {
  readonly node: RedisAddress;
  readonly reply?: Reply;
  readonly error?: unknown;
}

async function ask<Reply>(
  node: RedisAddress,
  options: ReturnType<typeof loginOptions>,
  question: (client: Redis) => Promise<Reply>,
): Promise<Answer<Reply>> {
  const client = new Redis({
    ...options,
    ...{ host: node.host, port: node.port },
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let cause: unknown;
  client.on('error', (error) => {
    cause ??= error;
  });
  const limit = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const late = once(limit, 'abort').then(() => {
    throw new Error('no answer in time');
  });
  try {
    const reply = client.connect().then(() => question(client));
    return { node, reply: await Promise.race([reply, late]) };
  } catch (error) {
    return { node, error: cause ?? error };
  } finally {
    client.disconnect();
  }
}

/** Reads a reply of names and values in turns. */
function toFields(reply: unknown): ReadonlyMap<string, string> {
  const list = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(list.flatMap((name, k) => (k % 2 === 0 ? [[name, list[k + 1] ?? ''] as const] : [])));
}
