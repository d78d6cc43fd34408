import { type JobsOptions, Queue } from 'bullmq';
import { type QueueName, queueNames } from '../engine.ts';
import type { RedisClient } from '../redis/open-client.ts';
import { onServerTime, type SharedClock } from '../redis/server-time.ts';
import { repeatStrategy } from './repeat-strategy.ts';

export type BullQueues = Readonly<Record<QueueName, Queue>>;

const KEPT_EVENTS = 1_000;

/**
 * Options of each job. Finished jobs are kept only to be looked at, since the ledger has what was done. The
 * limits hold for each queue; the oldest jobs go first.
 */
export const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 100 },
  removeOnFail: { age: 7 * 86_400, count: 500 },
} as const satisfies JobsOptions;

/**
 * Returns the options of every queue and every worker. Each of them may make the next turn of a scheduler,
 * and must find the same time.
 */
export function commonOptions(connection: RedisClient, prefix: string) {
  return { connection, prefix, settings: { repeatStrategy } } as const;
}

/**
 * Makes the clock that asks the Redis server for its time. In a cluster it is the server that has the queues,
 * because the clocks of the nodes may differ.
 */
export function timeOf(connection: RedisClient, prefix: string): SharedClock {
  const ask = async (): Promise<unknown> =>
    connection.isCluster
      ? connection.eval("return redis.call('time')", 1, `${prefix}:clock`)
      : connection.time();
  return async () => {
    const [seconds, micros] = (await ask()) as [seconds: string, micros: string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
}

export interface QueuesOptions {
  readonly connection: RedisClient;
  readonly prefix: string;
  /** The clock of the server. Tests replace it to let time pass. */
  readonly readTime?: SharedClock | undefined;
}

/** Opens the queues for code that puts jobs into them and counts them. */
export function openQueues(
  { connection, prefix, readTime = timeOf(connection, prefix) }: QueuesOptions,
  onError: (error: Error) => void,
): BullQueues {
  const backend = onServerTime(readTime);
  const open = (name: QueueName) => {
    const options = {
      ...commonOptions(connection, prefix),
      streams: { events: { maxLen: KEPT_EVENTS } },
    };
    const queue = new Queue(name, options, backend);
    queue.on('error', onError);
    return [name, queue] as const;
  };
  return Object.fromEntries(queueNames.map(open)) as Record<QueueName, Queue>;
}

/** Closes all queues. */
export async function closeQueues(queues: BullQueues): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close()));
}
