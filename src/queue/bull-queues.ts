import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type QueueName, queueNames } from './engine.ts';
import { repeatStrategy } from './repeat-strategy.ts';

export type BullQueues = Readonly<Record<QueueName, Queue>>;

const keptEvents = 1_000;

/** Finished jobs are there to be looked at; what was done stands in the ledger. Of each queue, and the older go first. */
export const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 100 },
  removeOnFail: { age: 7 * 86_400, count: 500 },
} as const satisfies JobsOptions;

/** What every queue and every worker is given: each may make the next job of a scheduler, and must find the same time. */
export function commonOptions(connection: Redis, prefix: string) {
  return { connection, prefix, settings: { repeatStrategy } } as const;
}

/** The queues as seen by who puts jobs into them and counts them. */
export function openQueues(
  { connection, prefix }: { connection: Redis; prefix: string },
  onError: (error: Error) => void,
): BullQueues {
  const open = (name: QueueName) => {
    const queue = new Queue(name, {
      ...commonOptions(connection, prefix),
      streams: { events: { maxLen: keptEvents } },
    });
    queue.on('error', onError);
    return [name, queue] as const;
  };
  return Object.fromEntries(queueNames.map(open)) as Record<QueueName, Queue>;
}

export async function closeQueues(queues: BullQueues): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close()));
}
