import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { closeQueues, commonOptions, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { lookAtQueues } from '../../../src/queue/bullmq/look-at-queues.ts';
import { openRedis } from '../../support/servers/servers.ts';

it('queues tell their jobs by state, and a job that failed can be tried again', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queues = openQueues({ connection, prefix: 'look' }, (error) => expect.unreachable(String(error)));
  onTestFinished(async () => {
    await closeQueues(queues);
    connection.disconnect();
  });
  const look = lookAtQueues(queues);
  await queues.bulk.add('piece', { seriesIds: [1] });
  await queues.sync.add('scan-persons', {}, { delay: 60_000 });
  expect(await look.read()).toMatchObject([
    { name: 'live', workers: 0, counts: { waiting: 0 }, isPaused: false },
    { name: 'sync', counts: { delayed: 1 } },
    { name: 'bulk', counts: { waiting: 1 } },
  ]);
  const page = { from: 0, limit: 10 };
  const [due] = await look.listJobs('sync', { state: 'delayed', ...page });
  expect((due?.dueMs ?? 0) - (due?.addedMs ?? 0)).toBe(60_000);
  let isBroken = true;
  const work = async () => {
    if (isBroken) throw new Error('out of order');
  };
  const worker = new Worker('bulk', work, commonOptions(connection, 'look'));
  onTestFinished(() => worker.close());
  const failed = () => look.listJobs('bulk', { state: 'failed', ...page });
  await expect
    .poll(failed)
    .toMatchObject([{ name: 'piece', error: 'out of order', data: { seriesIds: [1] } }]);
  const id = (await failed())[0]?.id ?? '';
  isBroken = false;
  expect(await look.retry('bulk', id)).toBe(true);
  await expect
    .poll(() => look.listJobs('bulk', { state: 'completed', ...page }))
    .toMatchObject([{ id, error: undefined }]);
  expect(await look.retry('bulk', id)).toBe(false);
  expect(await look.retry('bulk', 'nothing')).toBe(false);
});
