import { Temporal } from 'temporal-polyfill';
import type { Range } from './types.ts';
import { findOffset, type Offset } from './zoned-instant.ts';

const HOUR_US = 3_600e6;
const DAY_US = 86_400e6;

/** A day of a zone. It has 23 or 25 hours where the clock changes. */
export interface Day extends Range {
  /** The date: `2026-11-29`. */
  readonly date: string;
}

/** The hours and days of a time zone, as ranges of epoch microseconds without a gap between them. */
export interface ZoneGrid {
  readonly zone: string;
  /** Returns the hour that holds an instant. A clock change inside an hour of the clock divides the hour. */
  hourAt(us: number): Range;
  /** Returns the day that holds an instant. */
  dayAt(us: number): Day;
}

/**
 * Makes the grid of a zone. Offsets and days are looked up once, and the last hour is remembered, so that
 * millions of points cost little.
 */
export function createZoneGrid(zone: string): ZoneGrid {
  const offsets: Offset[] = [];
  const days = new Map<number, Day>();
  let offset: Offset | undefined;
  let hour: Range = { from: 0, to: 0 };

  function offsetAt(us: number): Offset {
    if (offset !== undefined && us >= offset.from && us < offset.to) return offset;
    offset = offsets.find(({ from, to }) => us >= from && us < to);
    if (offset === undefined) {
      offset = findOffset(zone, Math.floor(us));
      offsets.push(offset);
    }
    return offset;
  }

  return {
    zone,
    hourAt(us) {
      if (us >= hour.from && us < hour.to) return hour;
      const { offsetUs, from, to } = offsetAt(us);
      const begin = Math.floor((us + offsetUs) / HOUR_US) * HOUR_US - offsetUs;
      hour = { from: Math.max(begin, from), to: Math.min(begin + HOUR_US, to) };
      return hour;
    },
    dayAt(us) {
      const local = Math.floor((us + offsetAt(us).offsetUs) / DAY_US);
      let day = days.get(local);
      if (day === undefined) {
        day = findDay(zone, local);
        days.set(local, day);
      }
      return day;
    },
  };
}

/** Finds a day by the number of its date since 1970. */
function findDay(zone: string, number: number): Day {
  const date = Temporal.PlainDate.from('1970-01-01').add({ days: number });
  const beginOf = (day: Temporal.PlainDate) => day.toZonedDateTime(zone).epochMilliseconds * 1000;
  return { date: date.toString(), from: beginOf(date), to: beginOf(date.add({ days: 1 })) };
}

/** Tells whether the hours of a zone begin where those of UTC do, at all times in which points may lie. */
export function hasWholeHours(zone: string): boolean {
  const first = Temporal.Instant.from('1990-01-01T00:00Z').toZonedDateTimeISO(zone);
  const last = Temporal.Instant.from('2050-01-01T00:00Z');
  for (let at: Temporal.ZonedDateTime | null = first; at !== null; at = at.getTimeZoneTransition('next')) {
    if (Temporal.Instant.compare(at.toInstant(), last) > 0) return true;
    if ((at.offsetNanoseconds / 1000) % HOUR_US !== 0) return false;
  }
  return true;
}
