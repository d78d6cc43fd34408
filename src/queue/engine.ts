import type { Schedule } from '../config/schedule.ts';
import type { Logger } from '../log.ts';
import { firstRun, nextRun } from './next-run.ts';

/** Times between the failure of a job and its next attempt, unless its schedule fires earlier. */
export const RETRY_WAITS = { firstMs: 5_000, longestMs: 300_000 };

/** Queues by how soon their work must be done: polls; scans and increments; pieces of a backfill. */
export const queueNames = ['live', 'sync', 'bulk'] as const;
export type QueueName = (typeof queueNames)[number];

/** Outcome of a job. `busy`: another process is doing its work. `paused`: somebody has paused it. */
export type JobOutcome = 'done' | 'busy' | 'paused';

/** A unit of work that either engine runs again and again. */
export interface EngineJob {
  readonly name: string;
  readonly queue: QueueName;
  readonly schedule: Schedule;
  /** Names of jobs that must have succeeded once before this job begins. */
  readonly needs: readonly string[];
  /**
   * True if a job that never succeeded waits for its schedule. Otherwise a job with a distance begins at
   * once.
   */
  readonly waits?: boolean | undefined;
  /** Runs the job. Rejects if it failed; the message names the stream and says what to do. */
  run(signal: AbortSignal): Promise<JobOutcome>;
}

export interface EngineOptions {
  readonly jobs: readonly EngineJob[];
  /** Time zone of cron expressions. */
  readonly timezone: string;
  readonly log: Logger;
  /** Returns by job name when each job last began with success, in any process. Epoch milliseconds. */
  readonly readLastSuccesses: () => Promise<ReadonlyMap<string, number>>;
  /** Does a piece of a backfill that was put into the queue `bulk`. Resolves to the result of the piece. */
  readonly runPiece?: (piece: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Ends the engine: no job begins any more. */
  readonly signal: AbortSignal;
  /** How long running jobs may go on after that, before their own signal tells them to stop. */
  readonly shutdownTimeoutMs: number;
}

/** The state of the engine, as the page about the health of the service shows it. */
export interface EngineHealth {
  /** Undefined for the engine without Redis. */
  readonly redis?: { readonly isUp: boolean; readonly reason?: string | undefined };
  /** Numbers of jobs by their state. Undefined if Redis does not tell. */
  readonly queues?: Readonly<Record<QueueName, Readonly<Record<string, number>>>> | undefined;
}

export const queuedStates = ['active', 'waiting', 'delayed', 'failed', 'completed'] as const;
export type QueuedState = (typeof queuedStates)[number];

/** A turn of a job, or a piece of a backfill, in a queue. Times are epoch milliseconds. */
export interface QueuedJob {
  readonly id: string;
  readonly name: string;
  readonly addedMs: number;
  readonly dueMs: number | undefined;
  readonly begunMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly attemptsMade: number;
  readonly error: string | undefined;
  readonly data: unknown;
}

/** Shows people the queues in Redis. */
export interface QueueLook {
  read(): Promise<
    { name: string; counts: Readonly<Record<string, number>>; workers: number; isPaused: boolean }[]
  >;
  /** Lists jobs of a queue that are in a state, the newest first, from a place in this list on. */
  listJobs(queue: QueueName, page: { state: QueuedState; from: number; limit: number }): Promise<QueuedJob[]>;
  /** Puts a job that failed into its queue again. Resolves to false if no such job has failed. */
  retry(queue: QueueName, id: string): Promise<boolean>;
}

/** Runs the jobs: each when it is due, never twice at once, and again after a failure. */
export interface Engine {
  /** Runs until the signal of the options ends it. Resolves when every job has ended. */
  run(): Promise<void>;
  /** Makes a job due now, whatever its schedule says. A running job is run once more when it has ended. */
  trigger(name: string): Promise<void>;
  describeHealth(): Promise<EngineHealth>;
  /** Tells whether this process keeps the schedules at this moment. */
  leads(): boolean;
  /** Undefined for the engine without Redis. */
  readonly queues?: QueueLook | undefined;
}

/**
 * Returns when a job is due first, in epoch milliseconds. `all` are all jobs, since a job that others need
 * does not wait for a time of day.
 */
export function firstDue(
  job: Pick<EngineJob, 'name' | 'schedule' | 'waits'>,
  all: readonly Pick<EngineJob, 'needs'>[],
  at: { nowMs: number; timezone: string; lastMs: number | undefined },
): number {
  const { nowMs, timezone, lastMs } = at;
  if (lastMs !== undefined) return firstRun(job.schedule, at);
  if (job.waits) return nextRun(job.schedule, { afterMs: nowMs, timezone });
  if (all.some(({ needs }) => needs.includes(job.name))) return nowMs;
  return firstRun(job.schedule, at);
}
