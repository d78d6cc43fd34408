import type { RepeatOptions } from 'bullmq';
import type { Schedule } from '../../config/schedule.ts';
import { nextRun } from '../next-run.ts';

const EVERY_PATTERN = /^every (\d+) ms$/;

/**
 * A schedule as the pattern of a BullMQ job scheduler. Distances become patterns too: for its own `every`, BullMQ counts in Redis
 * and asks nobody.
 */
export function patternOf(schedule: Schedule): string {
  return 'everyMs' in schedule ? `every ${schedule.everyMs} ms` : schedule.cron;
}

/** When a scheduler fires next after a time, by its pattern and its zone; epoch milliseconds. */
export function nextTurn(
  { pattern = '', tz = 'UTC' }: { pattern?: string | undefined; tz?: string | undefined },
  afterMs: number,
): number {
  const [, everyMs] = EVERY_PATTERN.exec(pattern) ?? [];
  const schedule = everyMs === undefined ? { cron: pattern } : { everyMs: Number(everyMs) };
  return nextRun(schedule, { afterMs, timezone: tz });
}

/**
 * What BullMQ asks wherever it makes the next turn of a scheduler, with the clock of this process: the backend puts the time of the server
 * there. `immediately` is given for the first time only.
 */
export function repeatStrategy(afterMs: number, repeat: RepeatOptions): number {
  return repeat.immediately ? afterMs : nextTurn(repeat, afterMs);
}
