import type { Schedule } from '../config/schedule.ts';
import type { Logger } from '../log.ts';
import { firstRun, nextRun } from './next-run.ts';

/** Waits after the failure of a job until it is tried again, unless it is due before. */
export const RETRY_WAITS = { firstMs: 5_000, longestMs: 300_000 };

/** Kinds of work by how soon it must be done: polls; scans and increments; the pieces of a backfill. */
export const queueNames = ['live', 'sync', 'bulk'] as const;
export type QueueName = (typeof queueNames)[number];

/** Whether a job did its work, or left it: because it is being done elsewhere, or because it is paused. */
export type JobOutcome = 'done' | 'busy' | 'paused';

/** Something that is run by itself, again and again, by either engine. */
export interface EngineJob {
  readonly name: string;
  readonly queue: QueueName;
  readonly schedule: Schedule;
  /** Names of jobs that must have succeeded once before this one begins. */
  readonly needs: readonly string[];
  /** Whether, never having succeeded, it waits for its schedule; else a distance begins at once. */
  readonly waits?: boolean | undefined;
  /** Rejects when it failed; the message names the stream and says what to do. */
  run(signal: AbortSignal): Promise<JobOutcome>;
}

export interface EngineOptions {
  readonly jobs: readonly EngineJob[];
  /** Time zone of cron expressions. */
  readonly timezone: string;
  readonly log: Logger;
  /** When each job last began with success, in this process or any other, by its name; epoch milliseconds. */
  readonly readLastSuccesses: () => Promise<ReadonlyMap<string, number>>;
  /** Does a piece of a backfill that somebody put into the queue `bulk`; resolves to what came of it. */
  readonly runPiece?: (piece: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Ends the engine: no job begins any more. */
  readonly signal: AbortSignal;
  /** How long running jobs may go on after that before their own signal tells them to stop. */
  readonly shutdownTimeoutMs: number;
}

/** What a page about the health of the service shows of its engine. */
export interface EngineHealth {
  /** Undefined where the engine has none. */
  readonly redis?: { readonly isUp: boolean; readonly reason?: string | undefined };
  /** Jobs by their state, where Redis tells. */
  readonly queues?: Readonly<Record<QueueName, Readonly<Record<string, number>>>> | undefined;
}

/** What runs the jobs: each when it is due, never beside itself, again when it failed. */
export interface Engine {
  /** Runs until the signal of the options ends it; resolves when every job has ended. */
  run(): Promise<void>;
  /** Makes a job due now, whatever its schedule says; if it is running, once more when it has ended. */
  trigger(name: string): Promise<void>;
  describeHealth(): Promise<EngineHealth>;
}

/** When a job is due first; `all` are the jobs beside it, since one that others need does not wait for a time of day. */
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
