import { isDeepStrictEqual } from 'node:util';
import type { JobSchedulerJson, Queue } from 'bullmq';
import type { Schedule } from '../../config/schedule.ts';
import { type SharedClock, turnId } from '../redis/server-time.ts';
import { jobOptions } from './bull-queues.ts';
import { nextTurn, patternOf } from './repeat-strategy.ts';

/** The scheduler that a queue should have for one job of the configuration. */
export interface WantedScheduler {
  readonly name: string;
  readonly schedule: Schedule;
  /** Time zone of the cron expression. */
  readonly timezone: string;
  /**
   * Returns true if the job is due at a time (epoch milliseconds). It is asked only for a scheduler that is
   * made again.
   */
  isDue(nowMs: number): Promise<boolean>;
}

/** Names of the schedulers of a queue that were changed. */
export interface Reconciled {
  readonly made: readonly string[];
  readonly removed: readonly string[];
  /** Names of the made schedulers whose next turn was later than their schedules allow. */
  readonly tooFar: readonly string[];
}

/** A turn that is due for longer than this, and is nowhere in the queue, will not come by itself. */
const LOST_AFTER_MS = 10_000;
/**
 * Tolerance for the next turn: workers of an older version put it where their own clocks have it, which may
 * be a little off.
 */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Brings the schedulers of a queue in line with the configuration, and writes only differences:
 * - makes a scheduler that is missing (after a flush, all of them);
 * - changes a scheduler that has another schedule;
 * - removes a scheduler that is no longer wanted;
 * - makes a scheduler again whose chain of turns is broken, or is later than its schedule allows.
 */
export async function reconcile(
  queue: Queue,
  wanted: readonly WantedScheduler[],
  readTime: SharedClock,
): Promise<Reconciled> {
  const found = await queue.getJobSchedulers();
  // The time is read after the schedulers, so that no right next turn is later than this time allows.
  const nowMs = await readTime();
  const byName = new Map(found.map((scheduler) => [scheduler.key, scheduler]));
  const removed = found.map(({ key }) => key).filter((key) => !wanted.some(({ name }) => name === key));
  for (const name of removed) await queue.removeJobScheduler(name);
  const made: string[] = [];
  const tooFar: string[] = [];
  for (const scheduler of wanted) {
    const present = byName.get(scheduler.name);
    const same = present !== undefined && isSame(present, scheduler) ? present : undefined;
    const isFar = same !== undefined && isTooFar(same, nowMs);
    if (same !== undefined && !isFar && !(await isBroken(queue, same, nowMs))) continue;
    await makeScheduler(queue, scheduler, nowMs);
    made.push(scheduler.name);
    if (isFar) tooFar.push(scheduler.name);
  }
  return { made, removed, tooFar };
}

function repeatOf({ schedule, timezone }: WantedScheduler): { pattern: string; tz: string } {
  return { pattern: patternOf(schedule), tz: timezone };
}

function isSame(present: JobSchedulerJson, scheduler: WantedScheduler): boolean {
  const { pattern, tz } = repeatOf(scheduler);
  return (
    present.pattern === pattern && present.tz === tz && isDeepStrictEqual(present.template?.opts, jobOptions)
  );
}

async function makeScheduler(queue: Queue, scheduler: WantedScheduler, nowMs: number): Promise<void> {
  const immediately = await scheduler.isDue(nowMs);
  const repeat = { ...repeatOf(scheduler), ...(immediately && { immediately }) };
  await queue.upsertJobScheduler(scheduler.name, repeat, { name: scheduler.name, opts: jobOptions });
}

/**
 * Returns true if the next turn is later than the schedule allows. It was made by a clock that was ahead,
 * perhaps the server's own.
 */
function isTooFar({ next, pattern, tz }: JobSchedulerJson, nowMs: number): boolean {
  return next !== undefined && next > nextTurn({ pattern, tz }, nowMs) + CLOCK_TOLERANCE_MS;
}

/**
 * Returns true if the chain of a scheduler's turns is broken. Each turn makes the next one when it is taken.
 * If a turn vanished before that, or its worker died in between, no other turn comes soon.
 */
async function isBroken(queue: Queue, { key, next }: JobSchedulerJson, nowMs: number): Promise<boolean> {
  if (next === undefined || next > nowMs - LOST_AFTER_MS) return false;
  const job = await queue.getJob(turnId(key, next));
  const state = await job?.getState();
  // A turn that was taken between the two requests has no `processedOn` yet.
  if (state === 'active') return (job?.processedOn ?? nowMs) < nowMs - LOST_AFTER_MS;
  const hasEnded = state === undefined || state === 'completed' || state === 'failed' || state === 'unknown';
  // A turn that was taken after the schedulers were read has made its next turn before it ended.
  return hasEnded && (await queue.getJobScheduler(key))?.next === next;
}
