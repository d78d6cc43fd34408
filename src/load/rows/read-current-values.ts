import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Quality } from '../../series/types.ts';

/** The newest polled value of a series. Times are epoch microseconds. */
export interface CurrentValue {
  readonly seriesId: number;
  readonly at: number;
  readonly value: number | null;
  readonly text: string | null;
  readonly quality: Quality;
  /** The first poll that showed this value. */
  readonly changedAt: number;
}

/** Reads the newest polled values of some series. A series that was never polled is left out. */
export async function readCurrentValues(
  db: Database,
  schema: string,
  seriesIds: readonly number[],
): Promise<CurrentValue[]> {
  const { rows } = await db.query(
    `select series_id as "seriesId", at, value, text, quality, changed_at as "changedAt"
     from ${quoteTable(schema, 'current_values')} where series_id = any($1::bigint[])`,
    [seriesIds],
  );
  return rows as unknown as CurrentValue[];
}
