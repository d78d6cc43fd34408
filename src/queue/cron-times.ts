import { CronExpressionParser } from 'cron-parser';
import { Temporal } from 'temporal-polyfill';

/** No clock is put back or forward by more. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/**
 * The times of a cron expression after an instant, in their order; epoch milliseconds. What fires in every hour keeps its distance over
 * changes of the clock. Else a time of day that the clock skips is as much later, and one that it repeats is its first occurrence.
 */
export function* cronTimes(
  cron: string,
  { afterMs, timezone }: { afterMs: number; timezone: string },
): Generator<number, never> {
  const inZone = CronExpressionParser.parse(cron, { tz: timezone, currentDate: new Date(afterMs) });
  if (inZone.fields.hour.values.length === 24) for (;;) yield inZone.next().getTime();

  // What the clock would show had it not just been put forward: what that skipped may still be ahead.
  const offsetMs = Math.min(offsetAt(afterMs, timezone), offsetAt(afterMs - LONGEST_CHANGE_MS, timezone));
  // The parser knows the zone too, but fires twice if it is asked within a repeated hour, and once for all of a skipped one.
  const shown = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(afterMs + offsetMs) });
  const ahead = new Set<number>();
  for (;;) {
    const local = Temporal.PlainDateTime.from(shown.next().toISOString()?.slice(0, -1) ?? '');
    const time = local.toZonedDateTime(timezone);
    const timeMs = time.epochMilliseconds;
    if (timeMs <= afterMs) continue;
    ahead.add(timeMs);
    // A skipped one was moved: others may come before it.
    if (!time.toPlainDateTime().equals(local)) continue;
    for (const ms of [...ahead].toSorted((a, b) => a - b)) {
      if (ms > timeMs) break;
      ahead.delete(ms);
      yield ms;
    }
  }
}

function offsetAt(ms: number, timezone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
}
