import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { StatementValues } from './name-rule-sql.ts';
import { type PropertyKey, type SelectedQuestion, selectedSql } from './read-selected.ts';

/**
 * Reads some of the properties that a selection takes, spread over all of them. The same properties come each
 * time. Postgres goes through the table once, and this process gets no more than the sample.
 */
export async function sampleSelected(
  db: Database,
  schema: string,
  { count, ...question }: SelectedQuestion & { readonly count: number },
): Promise<PropertyKey[]> {
  const values = new StatementValues();
  const { rows } = await db.query(
    `select p.object, p.property from ${quoteTable(schema, 'object_properties')} as p
     where p.deleted_at is null and ${selectedSql(question, values)}
     order by hashtextextended(p.object, hashtextextended(p.property, 0)) limit ${count}`,
    values.list,
  );
  return rows as unknown as PropertyKey[];
}
