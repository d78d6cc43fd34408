import type { Schedule } from '../config/schedule.ts';
import { cronTimes } from './cron-times.ts';

/**
 * The first time after `afterMs` at which the schedule fires; epoch milliseconds. Distances count from 1970, so that
 * every process finds the same times and a restart does not move them; cron expressions are read in `timezone` as `cronTimes` tells.
 */
export function nextRun(
  schedule: Schedule,
  { afterMs, timezone }: { afterMs: number; timezone: string },
): number {
  if ('everyMs' in schedule) return (Math.floor(afterMs / schedule.everyMs) + 1) * schedule.everyMs;
  return cronTimes(schedule.cron, { afterMs, timezone }).next().value;
}

/** The distance between the next two times at which the schedule fires, milliseconds. */
export function periodOf(
  schedule: Schedule,
  { nowMs, timezone }: { nowMs: number; timezone: string },
): number {
  const nextMs = nextRun(schedule, { afterMs: nowMs, timezone });
  return nextRun(schedule, { afterMs: nextMs, timezone }) - nextMs;
}

/** Of a cron expression, times are counted up to so many. */
const MOST_COUNTED = 100_000;

/** How often the schedule fires after one time and not after another; epoch milliseconds. */
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
  /** When it last began, in this process or an earlier one; undefined if never. */
  readonly lastMs: number | undefined;
}

/**
 * When a schedule fires first after a start. What was missed while nothing ran is done at once, and only once. What never
 * ran begins at once if it has a distance, and waits for its time if it has a cron expression.
 */
export function firstRun(schedule: Schedule, { nowMs, timezone, lastMs }: FirstRunQuestion): number {
  if (lastMs !== undefined && lastMs <= nowMs)
    return Math.max(nowMs, nextRun(schedule, { afterMs: lastMs, timezone }));
  return 'everyMs' in schedule ? nowMs : nextRun(schedule, { afterMs: nowMs, timezone });
}
