import { CronExpressionParser } from 'cron-parser';
import { Temporal } from 'temporal-polyfill';

/** No clock is put forward or back by more than this for summer time. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/**
 * Yields the times of a cron expression after an instant, ascending, in epoch milliseconds. An expression
 * that fires in every hour keeps its distance over changes of the clock. For other expressions, a time of day
 * that the clock skips fires later by the skipped time. A time of day that the clock repeats fires at its
 * first occurrence only.
 */
export function* cronTimes(
  cron: string,
  { afterMs, timezone }: { afterMs: number; timezone: string },
): Generator<number, never> {
  const inZone = CronExpressionParser.parse(cron, { tz: timezone, currentDate: new Date(afterMs) });
  if (inZone.fields.hour.values.length === 24) for (;;) yield inZone.next().getTime();

  // Times are counted by the smaller offset, as if the clock had not just been put forward. Skipped times may
  // still be ahead.
  const offsetMs = Math.min(offsetAt(afterMs, timezone), offsetAt(afterMs - LONGEST_CHANGE_MS, timezone));
  // The parser is not asked in the zone: within a repeated hour it fires twice, and only once for all times
  // of a skipped hour.
  const shown = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(afterMs + offsetMs) });
  const ahead = new Set<number>();
  for (;;) {
    const local = Temporal.PlainDateTime.from(shown.next().toISOString()?.slice(0, -1) ?? '');
    const time = local.toZonedDateTime(timezone);
    const timeMs = time.epochMilliseconds;
    if (timeMs <= afterMs) continue;
    ahead.add(timeMs);
    // A skipped time was moved, so other times may come before it.
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
