import { Temporal } from 'temporal-polyfill';

/**
 * The formats in which the platform may write an instant:
 * - `utc`: `2018-10-11T06:51:17Z`, with milliseconds only if the time has some
 * - `utc-millis`: `2018-10-11T06:51:17.000Z`
 * - `offset`: `2018-10-11T14:51:17.000+08:00`; `offset-no-colon`: the same with `+0800`
 * - `epoch-ms`, `epoch-s`: JSON numbers
 * - `zoneless`: `2018-10-11 14:51:17` in the platform's zone
 * - `local-as-utc`: the local time with a `Z` that is wrong
 */
export const timeFormats = [
  'utc',
  'utc-millis',
  'offset',
  'offset-no-colon',
  'epoch-ms',
  'epoch-s',
  'zoneless',
  'local-as-utc',
] as const;
export type TimeFormat = (typeof timeFormats)[number];

const HOUR_MS = 3_600_000;
/** The time for which a known offset is used. Offsets of zones change only at quarters of an hour. */
const OFFSET_BLOCK_MS = 900_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** `mm:ss` of each second of an hour. */
const minutesAndSeconds = twoDigits.flatMap((minute) => twoDigits.map((second) => `${minute}:${second}`));

/**
 * Makes a function that returns the offset of a zone in milliseconds. It is fast for instants close together.
 */
export function zoneOffset(zone: string): (epochMs: number) => number {
  return shiftByBlock(
    (blockMs) =>
      Temporal.Instant.fromEpochMilliseconds(blockMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6,
  );
}

/** Makes a function that computes a shift once for each quarter of an hour, at its start. */
function shiftByBlock(shiftAt: (blockMs: number) => number): (ms: number) => number {
  const shifts = new Map<number, number>();
  return (ms) => {
    const block = Math.floor(ms / OFFSET_BLOCK_MS);
    let shift = shifts.get(block);
    if (shift === undefined) {
      if (shifts.size > 10_000) shifts.clear();
      shift = shiftAt(block * OFFSET_BLOCK_MS);
      shifts.set(block, shift);
    }
    return shift;
  };
}

/**
 * Makes a function that returns how far the wall clock of a zone is ahead of UTC, in milliseconds. `wallMs`
 * is what the wall clock shows, read as if in UTC. If the clock repeats an hour, the first one counts. A time
 * in an hour that the clock skips is read as if the clock had not skipped.
 */
export function wallClockShift(zone: string): (wallMs: number) => number {
  return shiftByBlock((blockMs) => {
    const wall = Temporal.Instant.fromEpochMilliseconds(blockMs).toZonedDateTimeISO('UTC').toPlainDateTime();
    return blockMs - wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
  });
}

/**
 * Makes a function that writes a wall clock as `YYYY-MM-DD?hh:mm:ss`. Date and hour are computed once per
 * hour.
 */
function clockWriter(separator: 'T' | ' '): (wallMs: number) => string {
  let hour = Number.NaN;
  let prefix = '';
  return (wallMs) => {
    const itsHour = Math.floor(wallMs / HOUR_MS);
    if (itsHour !== hour) {
      hour = itsHour;
      prefix = new Date(hour * HOUR_MS).toISOString().slice(0, 14).replace('T', separator);
    }
    return prefix + minutesAndSeconds[Math.floor((wallMs - hour * HOUR_MS) / 1000)];
  };
}

/** Returns the milliseconds of a time (three digits), or its microseconds (six) if it has some. */
function fraction(epochMs: number): string {
  const micros = Math.round((epochMs - Math.floor(epochMs / 1000) * 1000) * 1000);
  return micros % 1000 === 0 ? String(micros / 1000).padStart(3, '0') : String(micros).padStart(6, '0');
}

function offsetText(offsetMs: number, separator: string): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]}${separator}${twoDigits[minutes % 60]}`;
}

/** Makes a function that writes an instant (epoch milliseconds) as JSON text in the format. */
export function timeWriter(format: TimeFormat, zone: string): (epochMs: number) => string {
  const clock = clockWriter(format === 'zoneless' ? ' ' : 'T');
  const offsetAt = zoneOffset(zone);
  switch (format) {
    case 'utc':
      return (ms) => (ms % 1000 === 0 ? `"${clock(ms)}Z"` : `"${clock(ms)}.${fraction(ms)}Z"`);
    case 'utc-millis':
      return (ms) => `"${clock(ms)}.${fraction(ms)}Z"`;
    case 'offset':
    case 'offset-no-colon': {
      const separator = format === 'offset' ? ':' : '';
      return (ms) => {
        const offset = offsetAt(ms);
        return `"${clock(ms + offset)}.${fraction(ms)}${offsetText(offset, separator)}"`;
      };
    }
    case 'epoch-ms':
      return (ms) => String(ms);
    case 'epoch-s':
      return (ms) => String(ms / 1000);
    case 'zoneless':
      return (ms) => `"${clock(ms + offsetAt(ms))}"`;
    case 'local-as-utc':
      return (ms) => `"${clock(ms + offsetAt(ms))}Z"`;
  }
}

const recordTimeMembers = ['createTime', 'modifyTime', 'startTime', 'ackTime'];

/** Writes the times of a record, which the plant keeps in the format `utc`, in another format. */
export function withTimes<T extends object>(record: T, format: TimeFormat, zone: string): T {
  if (format === 'utc') return record;
  const write = timeWriter(format, zone);
  return Object.fromEntries(
    Object.entries(record).map(([member, value]) =>
      recordTimeMembers.includes(member) && typeof value === 'string' && !Number.isNaN(Date.parse(value))
        ? [member, JSON.parse(write(Date.parse(value)))]
        : [member, value],
    ),
  ) as T;
}
