import { whenAborted } from '../../sleep.ts';
import { type Engine, type EngineHealth, type EngineOptions, queueNames } from '../engine.ts';
import { FailureCounts } from '../failure-counts.ts';
import { Prerequisites } from '../prerequisites.ts';
import type { RedisConnections, RedisSettings } from '../redis/redis-connections.ts';
import type { SharedClock } from '../redis/server-time.ts';
import { withJobSignal } from '../shutdown.ts';
import { type BullQueues, closeQueues, jobOptions, openQueues, timeOf } from './bull-queues.ts';
import { Leader, type LeaderOptions } from './leader.ts';
import { lookAtQueues } from './look-at-queues.ts';
import { Processor } from './processor.ts';
import { runWorkers, type StallTiming } from './run-workers.ts';

export interface BullMqOptions extends EngineOptions {
  /** Open connections, which their creator closes. */
  readonly redis: RedisConnections;
  readonly settings: RedisSettings;
  readonly takeLead: LeaderOptions['takeLead'];
  /** Whether this process may keep the schedules, and whether it runs jobs. */
  readonly leads: boolean;
  readonly works: boolean;
  /** Times and clock, which tests replace. */
  readonly timing?: Partial<BullMqTiming>;
}

export interface BullMqTiming extends StallTiming {
  /** Time between two looks whether the schedulers are as the configuration wants them. */
  readonly tickMs: number;
  /** The clock of the Redis server. */
  readonly readTime: SharedClock;
}

const defaultTiming: Omit<BullMqTiming, 'readTime'> = {
  tickMs: 10_000,
  lockDurationMs: 60_000,
  stalledIntervalMs: 30_000,
};

/**
 * Opens the engine with Redis, in which any number of processes share the jobs. A leader keeps one scheduler
 * for each job in Redis. Any free worker takes a job that is due, and makes the next turn of its scheduler at
 * the same time.
 */
export function openBullMq(options: BullMqOptions): Engine {
  const { redis, settings, timing } = options;
  const queues = openQueues(
    { connection: redis.hasty, prefix: settings.prefix, readTime: timing?.readTime },
    (error) => redis.complain(error),
  );
  const leader = options.leads ? openLeader(options, queues) : undefined;
  return {
    run: () => runBullMq(options, queues, leader),
    leads: () => leader?.leads ?? false,
    async trigger(name) {
      const job = options.jobs.find((each) => each.name === name);
      if (job !== undefined) await queues[job.queue].add(name, {}, jobOptions);
    },
    describeHealth: () => describeHealth(redis, queues),
    queues: lookAtQueues(queues),
  };
}

function openLeader(options: BullMqOptions, queues: BullQueues): Leader {
  const { tickMs } = { ...defaultTiming, ...options.timing };
  // The leader must not wait while Redis is down.
  const readTime = options.timing?.readTime ?? timeOf(options.redis.hasty, options.settings.prefix);
  return new Leader({ ...options, queues, tickMs, readTime });
}

async function runBullMq(
  options: BullMqOptions,
  queues: BullQueues,
  leader: Leader | undefined,
): Promise<void> {
  const { redis, settings, signal, works } = options;
  const {
    tickMs: _,
    readTime = timeOf(redis.patient, settings.prefix),
    ...timing
  } = { ...defaultTiming, ...options.timing };
  const failures = new FailureCounts(redis.patient, settings.prefix);
  const prerequisites = new Prerequisites(options);
  try {
    await withJobSignal(options, (jobSignal) => {
      const processor = new Processor({ ...options, prerequisites, failures, jobSignal, readTime });
      return Promise.all([
        whenAborted(signal),
        leader?.run(),
        works && runWorkers({ redis, settings, timing, processor, readTime, signal }),
      ]);
    });
  } finally {
    await closeQueues(queues);
  }
}

async function describeHealth(redis: RedisConnections, queues: BullQueues): Promise<EngineHealth> {
  const state = redis.describe();
  if (!state.isUp) return { redis: state };
  try {
    await redis.checkWrites();
    const counts = await Promise.all(
      queueNames.map(async (name) => [name, await queues[name].getJobCounts()] as const),
    );
    return { redis: state, queues: Object.fromEntries(counts) as EngineHealth['queues'] };
  } catch (error) {
    return { redis: { isUp: false, reason: redis.asStoreError(error).message } };
  }
}
