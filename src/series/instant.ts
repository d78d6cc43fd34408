import { Temporal } from 'temporal-polyfill';
import { PlantsyncError } from '../errors.ts';

/** Time zones in which the times of the platform are read. */
export interface ClockSettings {
  /** IANA zone of times without an offset (`platform.timezone`). */
  readonly timezone?: string | undefined;
  /**
   * IANA zone in which *every* time is local, whatever offset the time carries
   * (`platform.dialect.zoneOverride`).
   */
  readonly zoneOverride?: string | undefined;
}

/** Turns a time as received into epoch microseconds. Returns NaN for a value that is no time. */
export type InstantParser = (value: unknown) => number;

/**
 * Offsets of a zone are cached for each quarter of an hour of local time: no zone changes its offset within
 * one.
 */
const OFFSET_STEP_SEC = 900;
const MAX_OFFSETS = 100_000;
const UPPER_Z = 90;
const COLON = 58;
const UTC_SECONDS_LENGTH = '2024-05-01T08:00:00Z'.length;
/** An epoch time as text. A text of four digits is a year, and no epoch time. */
const EPOCH = /^-?(?!\d{4}$)\d{1,17}(\.\d+)?$/;

/**
 * Makes the parser of platform times. The parser reads ISO 8601 with `T` or a space, and with `Z`, `+08:00`,
 * `+0800` or no offset. Decimals may be of any number; digits beyond the microsecond are cut off. Epoch times
 * may be numbers or digits: below 1e11 seconds, below 1e14 milliseconds, else microseconds.
 *
 * Hours that a clock change skips or repeats are resolved as by Temporal's `compatible`. A skipped time is
 * moved forward, and a repeated time is its first occurrence.
 *
 * The parser throws a `PlantsyncError` for a time without an offset if no zone is set.
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
        'platform.times_without_zone',
        `the platform sends times without an offset (for example "${value}"): set platform.timezone to the zone of these times`,
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

/**
 * Makes the reader of local times: `YYYY-MM-DD`, `T` or a space, `hh:mm[:ss[.fraction]]`. The reader runs
 * once for every point, so it reads by position. It returns undefined for any other text.
 */
function createLocalReader(): (text: string) => Local | undefined {
  // Neighbouring rows mostly share their day, so the last day is kept.
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
 * Makes the reader of the form that most platforms send, `2024-05-01T08:00:00Z`. The reader returns epoch
 * seconds, or NaN for any other text. Neighbouring rows mostly share their minute, so that only two digits
 * are left to read.
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

/**
 * Returns the seconds from 1970 to the start of the day that a text begins with. Returns NaN if the text
 * begins with no day.
 */
function readDay(text: string): number {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  return midnightSecOf(year, month, day);
}

/**
 * Returns the seconds from 1970 to the start of a day in UTC. Returns NaN if there is no such day or the year
 * is below 100.
 */
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

/**
 * Returns the offset at a position of a text in seconds east of UTC. Returns `none` at the end of the text,
 * and `bad` for a text that is no offset.
 */
function readOffset(text: string, at: number): number | 'none' | 'bad' {
  if (text.length === at) return 'none';
  // This usual end of a time is read without cutting a piece of text for each point.
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

/**
 * Formats epoch microseconds as ISO 8601 in UTC, with as many decimals as needed, for people and for logs.
 */
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
