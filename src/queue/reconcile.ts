import { isDeepStrictEqual } from 'node:util';
import type { JobSchedulerJson, Queue } from 'bullmq';
import type { Schedule } from '../config/schedule.ts';
import { jobOptions } from './bull-queues.ts';
import { patternOf } from './repeat-strategy.ts';

/** One job of the configuration, as its queue shall have it. */
export interface WantedScheduler {
  readonly name: string;
  readonly schedule: Schedule;
  /** Zone of a cron expression. */
  readonly timezone: string;
  /** Whether it is due now; asked only for one that is made anew. */
  isDue(): Promise<boolean>;
}

/** How the schedulers of a queue were changed, by their names. */
export interface Reconciled {
  readonly made: readonly string[];
  readonly removed: readonly string[];
}

/** A job that is due for longer and is nowhere in the queue will not come by itself. */
const lostAfterMs = 10_000;

/**
 * Brings the schedulers of a queue in line with the configuration, and writes only where they differ: makes what is missing
 * (all, after a flush), changes what has another schedule, removes what is not wanted any more, and makes anew one whose chain
 * of jobs is broken.
 */
export async function reconcile(queue: Queue, wanted: readonly WantedScheduler[]): Promise<Reconciled> {
  const found = await queue.getJobSchedulers();
  const byName = new Map(found.map((scheduler) => [scheduler.key, scheduler]));
  const removed = found.map(({ key }) => key).filter((key) => !wanted.some(({ name }) => name === key));
  for (const name of removed) await queue.removeJobScheduler(name);
  const made: string[] = [];
  for (const scheduler of wanted) {
    const present = byName.get(scheduler.name);
    const { pattern, tz } = repeatOf(scheduler);
    const isSame =
      present !== undefined &&
      present.pattern === pattern &&
      present.tz === tz &&
      isDeepStrictEqual(present.template?.opts, jobOptions);
    if (isSame && !(await isBroken(queue, present))) continue;
    await makeScheduler(queue, scheduler);
    made.push(scheduler.name);
  }
  return { made, removed };
}

function repeatOf({ schedule, timezone }: WantedScheduler): { pattern: string; tz: string } {
  return { pattern: patternOf(schedule), tz: timezone };
}

async function makeScheduler(queue: Queue, scheduler: WantedScheduler): Promise<void> {
  const immediately = await scheduler.isDue();
  const repeat = { ...repeatOf(scheduler), ...(immediately && { immediately }) };
  await queue.upsertJobScheduler(scheduler.name, repeat, { name: scheduler.name, opts: jobOptions });
}

/** Each job of a scheduler makes the next when it is taken. Where one vanished before that, no other will ever come. */
async function isBroken(queue: Queue, { key, next }: JobSchedulerJson): Promise<boolean> {
  if (next === undefined || next > Date.now() - lostAfterMs) return false;
  const job = await queue.getJob(`repeat:${key}:${next}`);
  const state = await job?.getState();
  return state === undefined || state === 'completed' || state === 'failed' || state === 'unknown';
}
