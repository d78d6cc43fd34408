import type { RepeatOptions } from 'bullmq';
import type { Schedule } from '../../config/schedule.ts';
import { nextRun } from '../next-run.ts';

const EVERY_PATTERN = /^every (\d+) ms$/;

/**
 * Returns a schedule as the pattern of a BullMQ job scheduler. Distances become patterns too, because BullMQ
 * counts its own `every` in Redis and asks no function.
 */
export function patternOf(schedule: Schedule): string {
  return 'everyMs' in schedule ? `every ${schedule.everyMs} ms` : schedule.cron;
}

/** Returns when a scheduler fires next after a time, by its pattern and its zone, in epoch milliseconds. */
export function nextTurn(
  { pattern = '', tz = 'UTC' }: { pattern?: string | undefined; tz?: string | undefined },
  afterMs: number,
): number {
  const [, everyMs] = EVERY_PATTERN.exec(pattern) ?? [];
  const schedule = everyMs === undefined ? { cron: pattern } : { everyMs: Number(everyMs) };
  return nextRun(schedule, { afterMs, timezone: tz });
}

/**
 * Returns the time of a scheduler's next turn, whenever BullMQ makes one. BullMQ passes the clock of this
 * process; the backend then puts the server's time there. `immediately` is set for the first turn only.
 */
export function repeatStrategy(afterMs: number, repeat: RepeatOptions): number {
  return repeat.immediately ? afterMs : nextTurn(repeat, afterMs);
}
