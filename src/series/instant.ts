import { Temporal } from 'temporal-polyfill';
import { PlantsyncError } from '../errors.ts';

/** How to read times that the platform sends. */
export interface ClockSettings {
  /** IANA zone of times without an offset (`platform.timezone`). */
  readonly timezone?: string | undefined;
  /** IANA zone in which *every* time is local, whatever offset it carries (`platform.dialect.zoneOverride`). */
  readonly zoneOverride?: string | undefined;
}

/** Turns a time as received into epoch microseconds; NaN where it is none. */
export type InstantParser = (value: unknown) => number;

/** Offsets of a zone are kept per quarter of an hour of local time: no zone changes within one. */
const OFFSET_STEP_SEC = 900;
const MAX_OFFSETS = 100_000;
const UPPER_Z = 90;
const COLON = 58;
const UTC_SECONDS_LENGTH = '2024-05-01T08:00:00Z'.length;
/** An epoch time as text; four digits would be a year. */
const EPOCH = /^-?(?!\d{4}$)\d{1,17}(\.\d+)?$/;

/**
 * Makes the parser of platform times. It reads ISO 8601 with `Z`, `+08:00`, `+0800` or no offset, with `T` or a space,
 * with any number of decimals (kept to the microsecond, the rest cut off), and epoch seconds, milliseconds or
 * microseconds as numbers or digits (told apart by size: from 1e11 on milliseconds, from 1e14 on microseconds).
 *
 * Hours that a clock change skips or repeats are resolved as Temporal's `compatible` does: a skipped time is moved
 * forward, a repeated one is its first occurrence.
 *
 * @throws PlantsyncError for a time without offset while no zone is set.
 */
export function createInstantParser(settings: ClockSettings): InstantParser {
  const zone = settings.zoneOverride ?? settings.timezone;
  const readLocal = createLocalReader();
  const readUtcSeconds = createUtcSecondsReader(readLocal);
  const offsetAt = zone === undefined ? undefined : createOffsetFinder(zone);
  return (value) => {
    if (typeof value === 'number') return fromEpoch(value);
    if (typeof value === 'bigint') return fromEpoch(Number(value));
    if (typeof value !== 'string') return Number.NaN;
    if (settings.zoneOverride === undefined && value.length === UTC_SECONDS_LENGTH) {
      const seconds = readUtcSeconds(value);
      if (!Number.isNaN(seconds)) return seconds * 1e6;
    }
    const local = readLocal(value);
    if (local === undefined) return EPOCH.test(value) ? fromEpoch(Number(value)) : Number.NaN;
    const stated = readOffset(value, local.end);
    if (stated !== 'none' && settings.zoneOverride === undefined) {
      return stated === 'bad' ? Number.NaN : local.sec * 1e6 + local.micros - stated * 1e6;
    }
    if (offsetAt === undefined) {
      throw new PlantsyncError(
        `the platform sends times without an offset (for example "${value}"): set platform.timezone to the zone they are in`,
      );
    }
    return (local.sec - offsetAt(local.sec)) * 1e6 + local.micros;
  };
}

function fromEpoch(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return Math.round(value * 1e6);
  if (size < 1e14) return Math.round(value * 1e3);
  return size < 1e17 ? Math.round(value) : Number.NaN;
}

interface Local {
  /** Seconds since 1970-01-01T00:00:00 on the local clock. */
  readonly sec: number;
  readonly micros: number;
  /** Position in the text behind the time, where the offset begins. */
  readonly end: number;
}

/** Makes the reader of `YYYY-MM-DD`, `T` or a space, `hh:mm[:ss[.fraction]]`. It runs once for every point, so it reads by position. */
function createLocalReader(): (text: string) => Local | undefined {
  // Neighbouring rows mostly share their day.
  let day = { text: '', midnightSec: Number.NaN };
  return (text) => {
    if (day.text === '' || !text.startsWith(day.text)) {
      const midnightSec = readDay(text);
      if (Number.isNaN(midnightSec)) return undefined;
      day = { text: text.slice(0, 10), midnightSec };
    }
    const separator = text.charCodeAt(10);
    if (separator !== 84 && separator !== 116 && separator !== 32) return undefined;
    const hour = digits(text, 11, 2);
    const minute = digits(text, 14, 2);
    const hasSeconds = text.charCodeAt(16) === COLON;
    const second = hasSeconds ? digits(text, 17, 2) : 0;
    if (text.charCodeAt(13) !== COLON || !(hour < 24 && minute < 60 && second < 60)) return undefined;
    const { micros, end } = readFraction(text, hasSeconds ? 19 : 16);
    return { sec: day.midnightSec + hour * 3600 + minute * 60 + second, micros, end };
  };
}

/**
 * Makes the reader of what most platforms send, `2024-05-01T08:00:00Z`, in seconds; NaN for anything else. Neighbouring rows mostly share
 * their minute, so that only two digits are left to read.
 */
function createUtcSecondsReader(readLocal: (text: string) => Local | undefined): (text: string) => number {
  let minute = '';
  let minuteSec = Number.NaN;
  return (text) => {
    if (text.charCodeAt(UTC_SECONDS_LENGTH - 1) !== UPPER_Z || text.charCodeAt(16) !== COLON)
      return Number.NaN;
    if (!text.startsWith(minute) || minute === '') {
      const local = readLocal(text);
      if (local?.end !== UTC_SECONDS_LENGTH - 1) return Number.NaN;
      minute = text.slice(0, 17);
      minuteSec = local.sec - digits(text, 17, 2);
    }
    const second = digits(text, 17, 2);
    return second < 60 ? minuteSec + second : Number.NaN;
  };
}

/** Seconds from 1970 to the beginning of the day that a text begins with; NaN where it begins with none. */
function readDay(text: string): number {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  return midnightSecOf(year, month, day);
}

/** Seconds from 1970 to the beginning of a day in UTC; NaN where there is no such day. Years begin with 100. */
export function midnightSecOf(year: number, month: number, day: number): number {
  if (!(year >= 100)) return Number.NaN;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 1000 : Number.NaN;
}

function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let k = at; k < at + count; k += 1) {
    const digit = text.charCodeAt(k) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function readFraction(text: string, at: number): { micros: number; end: number } {
  const mark = text.charCodeAt(at);
  if (mark !== 46 && mark !== 44) return { micros: 0, end: at };
  let micros = 0;
  let scale = 100_000;
  let end = at + 1;
  for (let digit = text.charCodeAt(end) - 48; digit >= 0 && digit <= 9; digit = text.charCodeAt(end) - 48) {
    micros += digit * Math.floor(scale);
    scale /= 10;
    end += 1;
  }
  return { micros, end };
}

/** Seconds east of UTC; `none` where the text ends, `bad` where something else follows. */
function readOffset(text: string, at: number): number | 'none' | 'bad' {
  if (text.length === at) return 'none';
  // The usual end, without a piece of text for each point.
  if (text.length === at + 1 && text.charCodeAt(at) === UPPER_Z) return 0;
  const rest = text.slice(at).trim();
  if (rest === '') return 'none';
  if (rest === 'Z' || rest === 'z') return 0;
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(rest);
  if (match === null) return 'bad';
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return match[1] === '-' ? -seconds : seconds;
}

function createOffsetFinder(zone: string): (localSec: number) => number {
  const offsets = new Map<number, number>();
  return (localSec) => {
    const step = Math.floor(localSec / OFFSET_STEP_SEC);
    const known = offsets.get(step);
    if (known !== undefined) return known;
    const startSec = step * OFFSET_STEP_SEC;
    const local = Temporal.Instant.fromEpochMilliseconds(startSec * 1000)
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime();
    const offset =
      startSec - local.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds / 1000;
    if (offsets.size >= MAX_OFFSETS) offsets.clear();
    offsets.set(step, offset);
    return offset;
  };
}

/** Epoch microseconds as ISO 8601 in UTC with the decimals needed, for people and for logs. */
export function formatInstant(micros: number): string {
  const sec = Math.floor(micros / 1e6);
  const fraction = micros - sec * 1e6;
  const text = new Date(sec * 1000).toISOString().slice(0, 19);
  return fraction === 0
    ? `${text}Z`
    : `${text}.${String(fraction)
        .padStart(6, '0')
        .replace(/(000)$/, '')}Z`;
}
