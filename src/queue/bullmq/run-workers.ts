import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import { sleepOrWake, whenAborted } from '../../sleep.ts';
import { type QueueName, queueNames } from '../engine.ts';
import type { RedisConnections, RedisSettings } from '../redis/redis-connections.ts';
import { onServerTime, type SharedClock } from '../redis/server-time.ts';
import { commonOptions } from './bull-queues.ts';
import type { Processor } from './processor.ts';

/** When a job counts as left by a worker that is gone. */
export interface StallTiming {
  /** A worker tells four times in this time that it is still at a job: longer than anything blocks it. */
  readonly lockDurationMs: number;
  /** How often workers look for jobs of which nobody tells that any more. */
  readonly stalledIntervalMs: number;
}

export interface WorkersOptions {
  readonly redis: RedisConnections;
  readonly settings: RedisSettings;
  readonly timing: StallTiming;
  readonly processor: Processor;
  readonly readTime: SharedClock;
  readonly signal: AbortSignal;
}

/** A job whose worker died is run again however often that happens: nothing that it did is lost, and nothing done twice. */
const MAX_STALLED_COUNT = 1_000_000;
/** Between two starts of a worker that ended although nobody told it to. */
const RESTART_MS = 1_000;
/** Between two attempts to take a job, where Redis refuses it. */
const REFUSED_MS = 1_000;
/** What a worker still has to tell Redis, when its jobs have ended. */
const LAST_WORDS_MS = 2_000;
const CLOSE_AGAIN_MS = 500;

/** Runs one worker for each queue until the signal; resolves when their jobs have ended and they are closed. */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { processor, redis } = options;
  const workers = queueNames.map((name) => openWorker(name, options));
  await Promise.all(workers.map((worker) => keepRunning(worker, options)));
  const closed = new AbortController();
  const closing = Promise.all(workers.map((worker) => worker.close())).finally(() => closed.abort());
  await processor.idle();
  await sleepOrWake(LAST_WORDS_MS, closed.signal);
  // With Redis away they would wait for it: what they could not tell is found out by whoever looks for stalled jobs. More than once,
  // because BullMQ may just be connecting anew what it found closed, and to a server that hangs that takes for ever.
  while (!closed.signal.aborted) {
    redis.close();
    await sleepOrWake(CLOSE_AGAIN_MS, closed.signal);
  }
  await closing;
}

function openWorker(
  name: QueueName,
  { redis, settings, timing, processor, readTime }: WorkersOptions,
): Worker {
  const options = {
    ...commonOptions(redis.patient, settings.prefix),
    autorun: false,
    concurrency: settings.concurrency[name],
    lockDuration: timing.lockDurationMs,
    lockRenewTime: timing.lockDurationMs / 4,
    stalledInterval: timing.stalledIntervalMs,
    maxStalledCount: MAX_STALLED_COUNT,
  };
  const process = (turn: Job, token?: string) => processor.process(turn, token);
  const worker = new PatientWorker(name, process, options, onServerTime(readTime));
  worker.on('error', (error) => redis.complain(error));
  return worker;
}

/** BullMQ asks again at once when Redis refuses a command, as it does with its memory full: thousands of times a second. */
class PatientWorker extends Worker {
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await sleep(REFUSED_MS);
      throw error;
    }
  }
}

/** A worker must not end while the process lives. */
async function keepRunning(worker: Worker, { redis, signal }: WorkersOptions): Promise<void> {
  const stopped = whenAborted(signal);
  while (!signal.aborted) {
    await Promise.race([worker.run().catch((error) => redis.complain(error)), stopped]);
    if (!signal.aborted) await sleepOrWake(RESTART_MS, signal);
  }
}
