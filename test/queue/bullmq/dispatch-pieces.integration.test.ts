import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { commonOptions } from '../../../src/queue/bullmq/bull-queues.ts';
import { dispatchPieces } from '../../../src/queue/bullmq/dispatch-pieces.ts';
import { openRedis } from '../../support/servers/servers.ts';

it('pieces of two orders are all done, each for its own, also where Redis lost the first and counts from one again', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue('bulk', commonOptions(connection, 'p'));
  onTestFinished(async () => {
    await queue.close();
    connection.disconnect();
  });
  const dispatch = async (pieces: string[]) => {
    const ends: unknown[] = [];
    const onEnd = (piece: string, end: unknown) => ends.push([piece, end]) > 0;
    const { signal } = new AbortController();
    await dispatchPieces(queue, { pieces, onEnd, signal }, (error) => expect.unreachable(String(error)));
    return ends;
  };
  const first = dispatch(['a1', 'a2', 'a3']);
  await expect.poll(() => queue.getWaitingCount(), { interval: 1 }).toBe(3);
  await connection.flushall();
  const second = dispatch(['b1', 'b2', 'b3']);
  await expect.poll(() => queue.getWaitingCount(), { interval: 1 }).toBe(3);
  const worker = new Worker('bulk', async ({ data }) => `done ${data}`, commonOptions(connection, 'p'));
  onTestFinished(() => worker.close());
  for (const [name, ends] of [
    ['a', await first],
    ['b', await second],
  ] as const)
    expect(ends.toSorted()).toEqual([1, 2, 3].map((k) => [`${name}${k}`, `done ${name}${k}`]));
});
