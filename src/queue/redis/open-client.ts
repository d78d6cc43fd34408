import { Cluster, Redis } from 'ioredis';
import { keepStatusTrue } from './cluster-status.ts';
import {
  clusterOptions,
  loginOptions,
  type RedisSettings,
  redisOptions,
  sentinelOptions,
} from './redis-options.ts';

/** A client of one server, of the master that sentinels name, or of a cluster. */
export type RedisClient = Redis | Cluster;

/** A server that takes a command and does not answer counts as down after this time. */
export const REPLY_TIMEOUT_MS = 3_000;
/**
 * A connection that owes a reply for longer is given up: its server stands still, or is cut off. A worker's
 * wait for a job, of 10 s at most, has to end before.
 */
const SILENCE_MS = { hasty: 5_000, patient: 15_000 } as const;

/** `hasty`: a command fails at once while Redis is down. `patient`: a command waits until Redis is back. */
export type Manner = keyof typeof SILENCE_MS;

const ownOptions = {
  hasty: { commandTimeout: REPLY_TIMEOUT_MS, socketTimeout: SILENCE_MS.hasty },
  patient: { maxRetriesPerRequest: null, socketTimeout: SILENCE_MS.patient },
} as const;

/** Opens a client to the configured servers. It connects when it is first needed. */
export function openClient(settings: RedisSettings, manner: Manner): RedisClient {
  const own = ownOptions[manner];
  const isPatient = manner === 'patient';
  if (settings.cluster !== undefined) {
    const client = new Cluster(
      settings.cluster.map(({ host, port }) => ({ host, port })),
      { ...clusterOptions(isPatient), redisOptions: { ...loginOptions(settings), ...own } },
    );
    keepStatusTrue(client);
    return client;
  }
  const target = settings.sentinels === undefined ? redisOptions(settings) : sentinelOptions(settings);
  return new Redis({ ...target, ...own, enableOfflineQueue: isPatient });
}

/**
 * Hands each copy that BullMQ makes of a client to `note`. A copy begins to connect at once.
 */
export function onCopy(client: RedisClient, note: (copy: RedisClient) => void): void {
  if (client instanceof Cluster) {
    const copy = client.duplicate.bind(client);
    client.duplicate = (nodes, options) => {
      const made = copy(nodes, { ...options, lazyConnect: false });
      keepStatusTrue(made);
      return noted(made, note);
    };
  } else {
    const copy = client.duplicate.bind(client);
    client.duplicate = (options) => noted(copy({ ...options, lazyConnect: false }), note);
  }
}

function noted<Client extends RedisClient>(copy: Client, note: (copy: RedisClient) => void): Client {
  note(copy);
  return copy;
}

/**
 * Ends a client at once. A client that waits for its next attempt to connect has no socket, and would not
 * report its end.
 */
export function endNow(client: RedisClient): void {
  if (client.status === 'end') return;
  if (client instanceof Cluster) {
    // Without nodes, nothing would report the end: a client that has not begun ends at once.
    if (client.nodes().length === 0) client.status = 'wait';
    client.disconnect();
    return;
  }
  client.disconnect();
  if (client.status !== 'reconnecting') return;
  client.connect().catch(() => undefined);
  client.disconnect();
}
