import { firstRun, nextRun } from '../src/queue/next-run.ts';
import type { StreamStatus } from '../src/sync/status/stream-status.ts';

/** The present, and how schedules are read. */
export interface ScheduleClock {
  /** The present time in epoch microseconds. */
  readonly now: number;
  /** The time zone of cron expressions. */
  readonly timezone: string;
}

/**
 * Returns when the service reads a stream next, in epoch microseconds. The time is now or earlier for a
 * stream that is due. Returns undefined for a stream that is switched off.
 */
export function nextRunOf(stream: StreamStatus, { now, timezone }: ScheduleClock): number | undefined {
  const { enabled, schedule, last, goodAt } = stream;
  if (!enabled || schedule === undefined) return undefined;
  const nowMs = now / 1000;
  if (last?.status === 'running') return nextRun(schedule, { afterMs: nowMs, timezone }) * 1000;
  const lastMs = goodAt === undefined ? undefined : goodAt / 1000;
  return firstRun(schedule, { nowMs, timezone, lastMs }) * 1000;
}
