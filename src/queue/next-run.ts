import type { Schedule } from '../config/schedule.ts';
import { cronTimes } from './cron-times.ts';

/**
 * Returns the first time after `afterMs` at which a schedule fires, in epoch milliseconds. Distances count
 * from 1970, so that every process finds the same times and a restart does not move them. Cron expressions
 * are read in `timezone`, as `cronTimes` says.
 */
export function nextRun(
  schedule: Schedule,
  { afterMs, timezone }: { afterMs: number; timezone: string },
): number {
  if ('everyMs' in schedule) return (Math.floor(afterMs / schedule.everyMs) + 1) * schedule.everyMs;
  return cronTimes(schedule.cron, { afterMs, timezone }).next().value;
}

/** Returns the distance between the next two times at which a schedule fires, in milliseconds. */
export function periodOf(
  schedule: Schedule,
  { nowMs, timezone }: { nowMs: number; timezone: string },
): number {
  const nextMs = nextRun(schedule, { afterMs: nowMs, timezone });
  return nextRun(schedule, { afterMs: nextMs, timezone }) - nextMs;
}

/** Most times of a cron expression that are counted. */
const MOST_COUNTED = 100_000;

/** Counts how often a schedule fires after `afterMs` and not after `untilMs` (epoch milliseconds). */
export function countDue(
  schedule: Schedule,
  { afterMs, untilMs, timezone }: { afterMs: number; untilMs: number; timezone: string },
): number {
  if ('everyMs' in schedule)
    return Math.floor(untilMs / schedule.everyMs) - Math.floor(afterMs / schedule.everyMs);
  const times = cronTimes(schedule.cron, { afterMs, timezone });
  let count = 0;
  while (count < MOST_COUNTED && times.next().value <= untilMs) count += 1;
  return count;
}

export interface FirstRunQuestion {
  readonly nowMs: number;
  readonly timezone: string;
  /** When the job last began, in this process or an earlier one. Undefined if it never did. */
  readonly lastMs: number | undefined;
}

/**
 * Returns when a schedule fires first after a start. A run that was missed while nothing ran is due at once,
 * and only once. A job that never ran is due at once if it has a distance, and at its time if it has a cron
 * expression.
 */
export function firstRun(schedule: Schedule, { nowMs, timezone, lastMs }: FirstRunQuestion): number {
  if (lastMs !== undefined && lastMs <= nowMs)
    return Math.max(nowMs, nextRun(schedule, { afterMs: lastMs, timezone }));
  return 'everyMs' in schedule ? nowMs : nextRun(schedule, { afterMs: nowMs, timezone });
}
