import type { RepeatOptions } from 'bullmq';
import type { Schedule } from '../config/schedule.ts';
import { nextRun } from './next-run.ts';

const everyPattern = /^every (\d+) ms$/;

/**
 * A schedule as the pattern of a BullMQ job scheduler. Distances become patterns too: for its own `every`, BullMQ counts in Redis
 * and asks nobody.
 */
export function patternOf(schedule: Schedule): string {
  return 'everyMs' in schedule ? `every ${schedule.everyMs} ms` : schedule.cron;
}

/**
 * When a scheduler fires next, epoch milliseconds; BullMQ asks it in the process that makes the scheduler, and in the worker that takes a job
 * of it. `immediately` is given for the first time only.
 */
export function repeatStrategy(
  afterMs: number,
  { pattern = '', tz = 'UTC', immediately }: RepeatOptions,
): number {
  if (immediately) return afterMs;
  const [, everyMs] = everyPattern.exec(pattern) ?? [];
  const schedule = everyMs === undefined ? { cron: pattern } : { everyMs: Number(everyMs) };
  return nextRun(schedule, { afterMs, timezone: tz });
}
