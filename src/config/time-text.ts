import { Temporal } from 'temporal-polyfill';
import { UsageError } from '../errors.ts';
import { formatInstant } from '../series/instant.ts';
import type { Range } from '../series/types.ts';
import type { Config } from './config-schema.ts';
import { parseDuration } from './duration.ts';
import { zone } from './fields.ts';

export interface TimeQuestion {
  /** The name of the option for messages, such as `--from`. */
  readonly option: string;
  /** The zone of a date. It also applies to a time without zone, if somebody stated the zone. */
  readonly zone: { readonly name: string; readonly stated: boolean };
  /** The present time in epoch microseconds. */
  readonly now: number;
}

/**
 * Returns the zone of dates on the command line: `--timezone`, else the platform's, else UTC (which nobody
 * stated). Throws a `UsageError` if `--timezone` is no time zone.
 */
export function zoneOf(option: string | undefined, config: Config): TimeQuestion['zone'] {
  const name = option ?? config.platform.timezone;
  const checked = zone().optional().safeParse(option);
  if (!checked.success)
    throw new UsageError('usage.wrong_value', `--timezone: ${checked.error.issues[0]?.message}`);
  return { name: name ?? 'UTC', stated: name !== undefined };
}

/** Years of four digits: every part of the program, and every store, can write such a time. */
const EARLIEST_US = Date.parse('0001-01-01T00:00:00Z') * 1000;
const LATEST_US = Date.parse('9999-12-31T23:59:59Z') * 1000;

/**
 * Parses a time on the command line into epoch microseconds: `now`, `-7d` (back from now), `2024-05-01`
 * (midnight in the zone), or an ISO time. Throws a `UsageError` for any other text. A time without zone is
 * also refused unless a zone was stated, since a guess would move the data.
 */
export function parseTime(text: string, question: TimeQuestion): number {
  if (text === 'now') return question.now;
  const agoMs = text.startsWith('-') ? parseDuration(text.slice(1)) : undefined;
  const parsed = agoMs === undefined ? parseIso(text, question) : question.now - agoMs * 1000;
  if (parsed !== undefined && parsed >= EARLIEST_US && parsed < LATEST_US) return parsed;
  if (parsed !== undefined)
    throw new UsageError('usage.wrong_time', `${question.option} ${text}: is not in the years 1 to 9999`);
  throw new UsageError(
    'usage.wrong_time',
    `${question.option} ${text}: not a time; give 2024-05-01T00:00:00Z, 2024-05-01, now, or -7d for seven days ago`,
  );
}

function parseIso(text: string, { option, zone }: TimeQuestion): number | undefined {
  const hasDateOnly = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isLocal = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/.test(text);
  if (isLocal && !zone.stated)
    throw new UsageError(
      'usage.wrong_time',
      `${option} ${text}: has no zone; add Z or an offset such as +08:00, or give --timezone`,
    );
  try {
    if (hasDateOnly || isLocal) return toUs(Temporal.PlainDateTime.from(text).toZonedDateTime(zone.name));
    return toUs(Temporal.Instant.from(text));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function toUs(instant: { epochNanoseconds: bigint }): number {
  return Number(instant.epochNanoseconds / 1000n);
}

export interface RangeQuestion {
  readonly from: string;
  readonly to?: string | undefined;
  readonly zone: TimeQuestion['zone'];
  /** The present time in epoch microseconds. */
  readonly now: number;
}

/**
 * Parses the range `--from` … `--to`. The end is now if it is missing or in the future. Throws a `UsageError`
 * that names the option.
 */
export function parseRange({ from, to, zone, now }: RangeQuestion): Range {
  const start = parseTime(from, { option: '--from', zone, now });
  const end = to === undefined ? now : parseTime(to, { option: '--to', zone, now });
  if (start >= now)
    throw new UsageError('usage.wrong_time', `--from ${from}: is not in the past (${formatInstant(start)})`);
  if (start >= end)
    throw new UsageError(
      'usage.wrong_time',
      `--from ${from}: must be before --to ${to} (${formatInstant(start)} and ${formatInstant(end)})`,
    );
  return { from: start, to: Math.min(end, now) };
}
