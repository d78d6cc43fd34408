import type { Series } from '../../../series/types.ts';
import type { RefusedPoints } from '../store.ts';

const MAX_SAMPLES = 3;
const MAX_SAMPLE_CHARACTERS = 120;

/** One point that InfluxDB cannot hold or did not accept. */
export interface RefusedLine {
  readonly series: Series;
  readonly reason: string;
  readonly timeUs: number;
  /** The fields of the point as line protocol. */
  readonly fields: string;
}

/** Collects refused points, grouped by series and reason. */
export interface InfluxRefusals {
  add(refusal: RefusedLine): void;
  /** The number of points added so far. */
  readonly count: number;
  list(): RefusedPoints[];
}

interface Group {
  readonly seriesId: number;
  readonly reason: string;
  from: number;
  to: number;
  count: number;
  readonly samples: string[];
}

export function collectRefusals(): InfluxRefusals {
  const groups = new Map<string, Group>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    add({ series, reason, timeUs, fields }) {
      count++;
      const key = `${series.id} ${reason}`;
      const group = groups.get(key) ?? {
        seriesId: series.id,
        reason,
        from: timeUs,
        to: timeUs,
        count: 0,
        samples: [],
      };
      groups.set(key, group);
      group.from = Math.min(group.from, timeUs);
      group.to = Math.max(group.to, timeUs);
      group.count++;
      if (group.samples.length < MAX_SAMPLES)
        group.samples.push(`${textOfTime(timeUs)} ${fields}`.slice(0, MAX_SAMPLE_CHARACTERS));
    },
    list: () =>
      [...groups.values()].map(({ seriesId, reason, from, to, count, samples }) => ({
        seriesId,
        range: { from, to: to + 1 },
        reason,
        count,
        samples,
      })),
  };
}

/** Formats a time for people: ISO 8601 with microseconds. A time beyond the calendar stays a number. */
function textOfTime(timeUs: number): string {
  const ms = Math.floor(timeUs / 1_000);
  if (!(Math.abs(ms) <= 8.64e15)) return String(timeUs);
  const micros = String(timeUs - ms * 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${micros}Z`);
}
