import type { Job, Queue } from 'bullmq';
import { type QueuedJob, type QueueLook, queueNames } from '../engine.ts';
import type { BullQueues } from './bull-queues.ts';

/** Makes what shows people the queues in Redis. */
export function lookAtQueues(queues: BullQueues): QueueLook {
  return {
    async read() {
      return Promise.all(queueNames.map((name) => readQueue(queues[name])));
    },
    async listJobs(name, { state, from, limit }) {
      const jobs = await queues[name].getJobs([state], from, from + limit - 1);
      // A job may be gone by the time it is read.
      return jobs.filter((job) => job?.id !== undefined).map(describeJob);
    },
    async retry(name, id) {
      const job = await queues[name].getJob(id);
      if (job === undefined || !(await job.isFailed())) return false;
      await job.retry('failed');
      return true;
    },
  };
}

async function readQueue(queue: Queue) {
  const [counts, workers, isPaused] = await Promise.all([
    queue.getJobCounts(),
    queue.getWorkersCount(),
    queue.isPaused(),
  ]);
  return { name: queue.name, counts, workers, isPaused };
}

function describeJob(job: Job): QueuedJob {
  const { id = '', name, timestamp, delay, processedOn, finishedOn, attemptsMade, failedReason, data } = job;
  return {
    ...{ id, name, attemptsMade, data },
    addedMs: timestamp,
    dueMs: delay > 0 ? timestamp + delay : undefined,
    begunMs: processedOn,
    endedMs: finishedOn,
    error: failedReason || undefined,
  };
}
