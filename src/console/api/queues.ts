import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { type QueuedJob, type QueueLook, queuedStates, queueNames } from '../../queue/engine.ts';
import type { ApiContext } from './api-context.ts';
import { itemsOf, numberCursor, numberIn } from './cursors.ts';
import { isoOf, isoTime, pageOf, paging } from './fields.ts';
import { route } from './route.ts';

const queueReply = z.object({
  name: z.string(),
  workers: z.number(),
  paused: z.boolean(),
  counts: z.record(z.string(), z.number()).describe('Numbers of jobs by their state.'),
});
export type QueueReply = z.output<typeof queueReply>;

const queuedReply = z.object({
  id: z.string(),
  name: z.string(),
  addedAt: isoTime(),
  dueAt: isoTime().optional(),
  begunAt: isoTime().optional(),
  endedAt: isoTime().optional(),
  attempts: z.number(),
  error: z.string().optional(),
  data: z.unknown().describe('The piece of a backfill. Empty for a turn of a job.'),
});
export type QueuedReply = z.output<typeof queuedReply>;

const listQueues = route({
  method: 'get',
  path: '/queues',
  id: 'listQueues',
  summary: 'Lists the queues in Redis, with their workers and the numbers of their jobs.',
  reply: z.object({ items: z.array(queueReply) }),
  handle: async (ctx) => ({
    items: (await requireQueues(ctx).read()).map(({ isPaused, counts, ...queue }) => ({
      ...queue,
      counts: { ...counts },
      paused: isPaused,
    })),
  }),
});

const oneQueue = z.object({ queue: z.enum(queueNames) });

const listJobs = route({
  method: 'get',
  path: '/queues/{queue}/jobs',
  id: 'listQueuedJobs',
  summary: 'Lists the jobs of a queue that are in a state.',
  params: oneQueue,
  query: z.strictObject({ state: z.enum(queuedStates).default('active'), ...paging }),
  reply: pageOf(queuedReply),
  async handle(ctx, { params: { queue }, query: { state, limit, after } }) {
    const from = numberIn(after) ?? 0;
    const found = await requireQueues(ctx).listJobs(queue, { state, from, limit: limit + 1 });
    const cursor = () => numberCursor(from + limit);
    return itemsOf(found, { limit, describe: (job) => describeJob(ctx, job), cursor });
  },
});

const retryJob = route({
  method: 'post',
  path: '/queues/{queue}/jobs/{id}/retry',
  id: 'retryQueuedJob',
  summary: 'Puts a job that failed into its queue again.',
  params: oneQueue.extend({ id: z.string().max(200) }),
  reply: z.object({ retried: z.boolean().describe('False if no such job has failed.') }),
  handle: async (ctx, { params: { queue, id } }) => ({ retried: await requireQueues(ctx).retry(queue, id) }),
});

function requireQueues({ engine: { queues } }: ApiContext): QueueLook {
  if (queues === undefined)
    throw new UsageError(
      'usage.needs_redis',
      'there are no queues: without redis.url, one process does everything',
    );
  return queues;
}

function describeJob({ redact }: Pick<ApiContext, 'redact'>, job: QueuedJob): QueuedReply {
  const at = (ms: number | undefined) => (ms === undefined ? undefined : isoOf(ms * 1000));
  const { id, name, addedMs, attemptsMade, error, data } = job;
  return {
    ...{ id, name, attempts: attemptsMade, data: data ?? null },
    addedAt: isoOf(addedMs * 1000),
    dueAt: at(job.dueMs),
    begunAt: at(job.begunMs),
    endedAt: at(job.endedMs),
    error: error === undefined ? undefined : redact(error),
  };
}

export const queueRoutes = [listQueues, listJobs, retryJob];
