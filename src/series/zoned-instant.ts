import { Temporal } from 'temporal-polyfill';
import { formatInstant } from './instant.ts';

/** Formats epoch microseconds as ISO 8601 with an offset. */
export type InstantFormatter = (micros: number) => string;

/** A stretch of time in which a zone has one offset. Bounds are epoch microseconds. */
export interface Offset {
  readonly from: number;
  readonly to: number;
  readonly offsetUs: number;
  readonly text: string;
}

/**
 * Makes a formatter for times in a zone: `2024-05-01T08:00:00+08:00`. The offset of the zone is looked up
 * only where the zone may change it, so that millions of points cost little. Times in UTC end in `Z`.
 */
export function createInstantFormatter(zone: string): InstantFormatter {
  if (zone === 'UTC') return formatInstant;
  let known: Offset | undefined;
  return (micros) => {
    if (known === undefined || micros < known.from || micros >= known.to) known = findOffset(zone, micros);
    return formatInstant(micros + known.offsetUs).replace('Z', known.text);
  };
}

/** Finds the offset of a zone at an instant, and the stretch of time in which it does not change. */
export function findOffset(zone: string, micros: number): Offset {
  const at = Temporal.Instant.fromEpochNanoseconds(BigInt(micros) * 1000n).toZonedDateTimeISO(zone);
  const boundOf = (other: Temporal.ZonedDateTime | null, rest: number) =>
    other === null ? rest : Number(other.epochNanoseconds / 1000n);
  // The transition before the next microsecond is the one at or before this instant.
  const begin = at.add({ microseconds: 1 }).getTimeZoneTransition('previous');
  return {
    from: boundOf(begin, Number.NEGATIVE_INFINITY),
    to: boundOf(at.getTimeZoneTransition('next'), Number.POSITIVE_INFINITY),
    offsetUs: at.offsetNanoseconds / 1000,
    text: at.offset,
  };
}
