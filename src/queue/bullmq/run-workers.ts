import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import { sleepOrWake, whenAborted } from '../../sleep.ts';
import { type QueueName, queueNames } from '../engine.ts';
import type { RedisConnections, RedisSettings } from '../redis/redis-connections.ts';
import { onServerTime, type SharedClock } from '../redis/server-time.ts';
import { commonOptions } from './bull-queues.ts';
import type { Processor } from './processor.ts';

/** Times after which a job counts as left by a worker that is gone. */
export interface StallTiming {
  /**
   * Life of a worker's lock on its job, renewed four times in this time. It must be longer than anything
   * blocks the process.
   */
  readonly lockDurationMs: number;
  /** Time between two looks of the workers for jobs whose lock has run out. */
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

/**
 * A job whose worker died is run again, however often that happens. Nothing that it did is lost or done
 * twice.
 */
const MAX_STALLED_COUNT = 1_000_000;
/** Time between two starts of a worker that ended although nobody told it to. */
const RESTART_MS = 1_000;
/** Time between two attempts to take a job that Redis refuses. */
const REFUSED_MS = 1_000;
/** Time in which a worker can still tell Redis how its jobs ended. */
const LAST_WORDS_MS = 2_000;
const CLOSE_AGAIN_MS = 500;

/**
 * Runs one worker for each queue until the signal. Resolves when their jobs have ended and the workers are
 * closed.
 */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { processor, redis } = options;
  const workers = queueNames.map((name) => openWorker(name, options));
  await Promise.all(workers.map((worker) => keepRunning(worker, options)));
  const closed = new AbortController();
  const closing = Promise.all(workers.map((worker) => worker.close())).finally(() => closed.abort());
  await processor.idle();
  await sleepOrWake(LAST_WORDS_MS, closed.signal);
  // While Redis is down the workers would wait for it. What they could not tell is found by the look for
  // stalled jobs. The connections are closed several times, because BullMQ may just be opening a closed one
  // again. With a server that hangs, that would take for ever.
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

/**
 * A worker that waits before it tries again. When Redis refuses a command, because its memory is full, BullMQ
 * would try again thousands of times a second.
 */
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

/** Runs a worker again whenever it ends while the process lives. */
async function keepRunning(worker: Worker, { redis, signal }: WorkersOptions): Promise<void> {
  const stopped = whenAborted(signal);
  while (!signal.aborted) {
    await Promise.race([worker.run().catch((error) => redis.complain(error)), stopped]);
    if (!signal.aborted) await sleepOrWake(RESTART_MS, signal);
  }
}
