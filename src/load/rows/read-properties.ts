import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';

/**
 * Reads the declared types of the named properties, whether they are recorded or not, by the JSON of object
 * and name.
 */
export async function readDeclaredTypes(
  db: Database,
  schema: string,
  names: readonly { object: string; property: string }[],
): Promise<Map<string, string | null>> {
  const { rows } = await db.query<{ object: string; property: string; primitive_type: string | null }>(
    `select object, property, primitive_type from ${quoteTable(schema, 'object_properties')}
     join unnest($1::text[], $2::text[]) as asked (object, property) using (object, property)`,
    [names.map((name) => name.object), names.map((name) => name.property)],
  );
  return new Map(rows.map((row) => [JSON.stringify([row.object, row.property]), row.primitive_type]));
}
