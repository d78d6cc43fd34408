import { wallClockShift } from '../time-format.ts';

/** `2024-05-01`, `2024-05-01 08:00`, `2024-05-01T08:00:00.123456+02:00`. */
const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?: ?(Z|[+-][01]\d(?::?[0-5]\d)?))?)?$/i;
/** `5/1/2024 8:00`, month first. */
const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/;

/** What the reader understands, for messages. */
export const csvTimeForms =
  '2024-05-01T08:00:00Z, 2024-05-01T08:00:00.5+02:00, 2024-05-01 08:00[:00] or 5/1/2024 8:00 (month first)';

/**
 * Makes a function that reads a time of a CSV file as epoch milliseconds (a fraction holds microseconds); undefined for
 * what is no time. A time without a zone is one of `zone` (IANA), of hours that its clock repeats the first.
 */
export function csvTimeReader(zone: string): (text: string) => number | undefined {
  const shift = wallClockShift(zone);
  return (text) => {
    const parts = partsOf(text.trim());
    const wallMs = parts && wallClockMs(parts);
    if (wallMs === undefined) return undefined;
    const offset = parts?.offset;
    return wallMs - (offset === undefined ? shift(wallMs) : offsetMs(offset));
  };
}

interface Parts {
  readonly date: readonly [year: number, month: number, day: number];
  readonly clock: readonly [hour: number, minute: number, second: number];
  /** Digits of a second. */
  readonly fraction: string;
  readonly offset: string | undefined;
}

function partsOf(text: string): Parts | undefined {
  const isoParts = iso.exec(text);
  if (isoParts) {
    const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offset] = isoParts;
    return {
      date: [Number(year), Number(month), Number(day)],
      clock: [Number(hour), Number(minute), Number(second)],
      fraction,
      offset,
    };
  }
  const usParts = american.exec(text);
  if (!usParts) return undefined;
  const [, month, day, year, hour = 0, minute = 0, second = 0, fraction = ''] = usParts;
  return {
    date: [Number(year), Number(month), Number(day)],
    clock: [Number(hour), Number(minute), Number(second)],
    fraction,
    offset: undefined,
  };
}

/** The instant at which a clock in UTC shows this; undefined for a date or time of day that does not exist. */
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

/** Milliseconds of `Z`, `+08:00`, `-0730` or `+08`. */
function offsetMs(offset: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}
