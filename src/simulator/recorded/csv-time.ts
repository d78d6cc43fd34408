import { wallClockShift, zoneOffset } from '../time-format.ts';

/** Matches `2024-05-01`, `2024-05-01 08:00`, `2024-05-01T08:00:00.123456+02:00`. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?: ?(Z|[+-][01]\d(?::?[0-5]\d)?))?)?$/i;
const clock = String.raw`(?: (\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?: ?([AP]M))?)?`;
/** Matches `2024/5/1 8:00`, with the year first. */
const yearFirst = new RegExp(String.raw`^(\d{4})[/-](\d{1,2})[/-](\d{1,2})${clock}$`, 'i');
/** Matches `5/1/2024 8:00 PM`. The text does not tell the order of day and month. */
const slashed = new RegExp(String.raw`^(\d{1,2})\/(\d{1,2})\/(\d{4})${clock}$`, 'i');
/** Matches `01.05.2024 08:00`, with the day first. */
const dotted = new RegExp(String.raw`^(\d{1,2})\.(\d{1,2})\.(\d{4})${clock}$`, 'i');
/** Matches seconds, milliseconds or microseconds since 1970. */
const EPOCH = /^(\d{9,10}(?:\.\d+)?|\d{12,13}|\d{15,16})$/;

export type DateOrder = 'dmy' | 'mdy';

/** The forms of times that are understood, for messages. */
export const CSV_TIME_FORMS =
  '2024-05-01T08:00:00Z, 2024-05-01 08:00[:00], 2024/5/1 8:00, 01.05.2024 08:00 (day first), 5/1/2024 8:00 PM, ' +
  'or seconds, ms or µs since 1970';

/** Returns the two numbers before the year of a date with slashes. Returns undefined for any other form. */
export function slashedDate(text: string): readonly [number, number] | undefined {
  const [, first, second] = slashed.exec(text.trim()) ?? [];
  return first === undefined ? undefined : [Number(first), Number(second)];
}

/**
 * Makes a function that reads a time of a CSV file as epoch milliseconds (a fraction holds microseconds). The
 * function returns undefined for a text that is no time. A time without a zone is one of `zone` (IANA). If
 * the clock repeats an hour, a step back from the time before begins the second pass.
 */
export function csvTimeReader(zone: string, order: DateOrder = 'mdy'): (text: string) => number | undefined {
  const shift = wallClockShift(zone);
  const offsetAt = zoneOffset(zone);
  let before = Number.NEGATIVE_INFINITY;
  let isSecondPass = false;
  return (given) => {
    const text = given.trim();
    if (EPOCH.test(text)) return epochMs(text);
    const parts = partsOf(text, order);
    const wallMs = parts && wallClockMs(parts);
    if (wallMs === undefined) return undefined;
    if (parts?.offset !== undefined) return wallMs - offsetMs(parts.offset);
    const firstMs = wallMs - shift(wallMs);
    const secondMs = wallMs - offsetAt(firstMs + HOUR_MS);
    // The clock shows this time twice only if the later instant shows it too.
    const isTwice = secondMs > firstMs && secondMs + offsetAt(secondMs) === wallMs;
    isSecondPass = isTwice && (isSecondPass || (before > wallMs && before - wallMs <= HOUR_MS));
    before = wallMs;
    return isSecondPass ? secondMs : firstMs;
  };
}

const HOUR_MS = 3_600_000;

function epochMs(text: string): number {
  const digits = text.split('.')[0]?.length ?? 0;
  return digits > 13 ? Number(text) / 1000 : digits > 10 ? Number(text) : Number(text) * 1000;
}

interface Parts {
  readonly date: readonly [year: number, month: number, day: number];
  readonly clock: readonly [hour: number, minute: number, second: number];
  /** The digits after the whole second. */
  readonly fraction: string;
  readonly offset: string | undefined;
}

function partsOf(text: string, order: DateOrder): Parts | undefined {
  const isoParts = ISO.exec(text);
  if (isoParts) {
    const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offset] = isoParts;
    return {
      date: [Number(year), Number(month), Number(day)],
      clock: [Number(hour), Number(minute), Number(second)],
      fraction,
      offset,
    };
  }
  const found = yearFirst.exec(text) ?? dotted.exec(text) ?? slashed.exec(text);
  if (!found) return undefined;
  const [, one, two, three, hour = 0, minute = 0, second = 0, fraction = '', half] = found;
  const numbers = [Number(one), Number(two), Number(three)] as const;
  const hours = hourOf(Number(hour), half);
  if (hours === undefined) return undefined;
  return {
    date: inOrder(text, numbers, order),
    clock: [hours, Number(minute), Number(second)],
    fraction,
    offset: undefined,
  };
}

function inOrder(
  text: string,
  [one, two, three]: readonly [number, number, number],
  order: DateOrder,
): Parts['date'] {
  if (yearFirst.test(text)) return [one, two, three];
  return dotted.test(text) || order === 'dmy' ? [three, two, one] : [three, one, two];
}

/** Returns the hour of 24 hours. Returns undefined for 0 or 13 with AM or PM. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
}

/**
 * Returns the instant at which a clock in UTC shows this date and time. Returns undefined if there is no such
 * date or time of day.
 */
function wallClockMs({ date, clock, fraction }: Parts): number | undefined {
  const [year, month, day] = date;
  const [hour, minute, second] = clock;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  const there = new Date(ms);
  const exists =
    there.getUTCFullYear() === year && there.getUTCMonth() === month - 1 && there.getUTCDate() === day;
  return exists ? ms + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000 : undefined;
}

/** Returns the milliseconds of `Z`, `+08:00`, `-0730` or `+08`. */
function offsetMs(offset: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}
