import { isDeepStrictEqual } from 'node:util';
import type { JobSchedulerJson, Queue } from 'bullmq';
import type { Schedule } from '../../config/schedule.ts';
import { type SharedClock, turnId } from '../redis/server-time.ts';
import { jobOptions } from './bull-queues.ts';
import { nextTurn, patternOf } from './repeat-strategy.ts';

/** One job of the configuration, as its queue shall have it. */
export interface WantedScheduler {
  readonly name: string;
  readonly schedule: Schedule;
  /** Zone of a cron expression. */
  readonly timezone: string;
  /** Whether it is due at a time, epoch milliseconds; asked only for one that is made anew. */
  isDue(nowMs: number): Promise<boolean>;
}

/** How the schedulers of a queue were changed, by their names. */
export interface Reconciled {
  readonly made: readonly string[];
  readonly removed: readonly string[];
  /** Those of the made whose next turn lay further ahead than their schedules allow. */
  readonly tooFar: readonly string[];
}

/** A job that is due for longer and is nowhere in the queue will not come by itself. */
const LOST_AFTER_MS = 10_000;
/** Workers of an older version put the next turn where their own clocks have it, which may be a little off. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Brings the schedulers of a queue in line with the configuration, and writes only where they differ: makes what is missing
 * (all, after a flush), changes what has another schedule, removes what is not wanted any more, and makes anew one whose chain
 * of jobs is broken, or goes on later than its schedule allows.
 */
export async function reconcile(
  queue: Queue,
  wanted: readonly WantedScheduler[],
  readTime: SharedClock,
): Promise<Reconciled> {
  const found = await queue.getJobSchedulers();
  // After the look, so that no next turn can rightly be later than what follows from this.
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

/** Whoever made the next turn had a clock that was ahead, be it the server's own before it was set right. */
function isTooFar({ next, pattern, tz }: JobSchedulerJson, nowMs: number): boolean {
  return next !== undefined && next > nextTurn({ pattern, tz }, nowMs) + CLOCK_TOLERANCE_MS;
}

/**
 * Each job of a scheduler makes the next when it is taken. Where one vanished before that, or its worker died in between, no other
 * will come soon.
 */
async function isBroken(queue: Queue, { key, next }: JobSchedulerJson, nowMs: number): Promise<boolean> {
  if (next === undefined || next > nowMs - LOST_AFTER_MS) return false;
  const job = await queue.getJob(turnId(key, next));
  const state = await job?.getState();
  // One that was taken between the two questions has no time of that yet.
  if (state === 'active') return (job?.processedOn ?? nowMs) < nowMs - LOST_AFTER_MS;
  const hasEnded = state === undefined || state === 'completed' || state === 'failed' || state === 'unknown';
  // One that was taken after the schedulers were read has made its next turn before it ended.
  return hasEnded && (await queue.getJobScheduler(key))?.next === next;
}
