import type { Queryable } from '../../../postgres/queryable.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { Removal } from '../store.ts';

/** Deletes the points of `target` (quoted) in the ranges. */
export async function deletePoints(
  db: Queryable,
  target: string,
  removals: readonly Removal[],
): Promise<void> {
  const ranges = removals.flatMap(({ series, ranges }) =>
    ranges.map((range) => ({ id: series.id, ...range })),
  );
  if (ranges.length === 0) return;
  const from = Math.min(...ranges.map((range) => range.from));
  const to = Math.max(...ranges.map((range) => range.to));
  // The outer bounds let the planner skip all other partitions.
  await db.query(
    `delete from ${target} as t using unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as gone (series_id, "from", "to")
     where t.series_id = gone.series_id and t.at >= gone."from" and t.at < gone."to" and t.at >= $4 and t.at < $5`,
    [
      ranges.map(({ id }) => id),
      ranges.map((range) => timestamptzText(range.from)),
      ranges.map((range) => timestamptzText(range.to)),
      timestamptzText(from),
      timestamptzText(to),
    ],
  );
}
