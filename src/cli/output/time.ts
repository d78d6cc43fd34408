import { Temporal } from 'temporal-polyfill';
import { alignDown } from '../../series/history-stream.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Range } from '../../series/types.ts';

/** Formats an instant (epoch microseconds) to the second, for tables. */
export function formatSecond(micros: number): string {
  return formatInstant(alignDown(micros, 1));
}

/** Returns a range for JSON: ISO 8601 in UTC. */
export function describeRange({ from, to }: Range): { from: string; to: string } {
  return { from: formatInstant(from), to: formatInstant(to) };
}

/** Formats `2024-05-01T00:00:00Z … 2024-05-02T00:00:00Z`, and the same in the zone unless it is UTC. */
export function formatRange({ from, to }: Range, zone: string): string {
  const range = `${formatInstant(from)} … ${formatInstant(to)}`;
  if (zone === 'UTC') return range;
  const local = (micros: number) =>
    Temporal.Instant.fromEpochNanoseconds(BigInt(Math.floor(micros)) * 1000n)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: 'never' });
  return `${range} (${local(from)} … ${local(to)} in ${zone})`;
}
