import type { Database } from '../../../src/postgres/connect.ts';
import type { Span } from './fill-samples.ts';
import { ZONE } from './plant-names.ts';

const DAY_MS = 86_400_000;
/** Whole days from a whole hour on, so that no hour is cut. */
const ROLLUP_DAYS_AT_ONCE = 30;

/**
 * Fills the rollups by one statement for each month. They are near enough to what plantsync keeps: a question
 * takes no other time for another value.
 */
export async function fillRollups(db: Database, { from, to }: Span): Promise<void> {
  for (let start = from.getTime(); start < to.getTime(); start += ROLLUP_DAYS_AT_ONCE * DAY_MS) {
    const end = new Date(Math.min(start + ROLLUP_DAYS_AT_ONCE * DAY_MS, to.getTime()));
    await db.query(
      `insert into plant.rollup_hourly (series_id, bucket, ends_at, count, valued, min, max, sum, first_at, first,
         last_at, last, integral, known_sec, covered_sec)
       select series_id, bucket, bucket + interval '1 hour', count(*), count(value), min(value), max(value),
         coalesce(sum(value), 0), min(at), min(value), max(at), max(value), coalesce(avg(value) * 3600, 0),
         case when count(value) > 0 then 3600 else 0 end, 3600
       from plant.samples cross join lateral (select date_trunc('hour', at) as bucket) as b
       where at >= $1 and at < $2 group by series_id, bucket`,
      [new Date(start), end],
    );
  }
  await db.query(
    `insert into plant.rollup_daily (series_id, bucket, ends_at, count, valued, min, max, sum, first_at, first,
       last_at, last, integral, known_sec, covered_sec)
     select series_id, begins, begins + interval '1 day', sum(count), sum(valued), min(min), max(max), sum(sum),
       min(first_at), min(first), max(last_at), max(last), sum(integral), sum(known_sec), sum(covered_sec)
     from plant.rollup_hourly
     cross join lateral (select date_trunc('day', bucket, '${ZONE}') as begins) as d group by series_id, begins`,
  );
}
