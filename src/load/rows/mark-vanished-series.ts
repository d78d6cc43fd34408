import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';

/**
 * Marks the series as vanished whose property's row is deleted. Their data and coverage stay, and the
 * platform is no longer asked for them. Resolves to the number of newly marked series.
 */
export async function markVanishedSeries(db: Database, schema: string): Promise<number> {
  const { rowCount } = await db.query(
    `update ${quoteTable(schema, 'series')} as s set vanished_at = now()
     where vanished_at is null and exists (
       select from ${quoteTable(schema, 'object_properties')} as p
       where p.object = s.object and p.property = s.property and p.deleted_at is not null)`,
  );
  return rowCount ?? 0;
}
