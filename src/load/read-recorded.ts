import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Series } from '../series/types.ts';

/** Properties whose values the platform keeps (`persisted` or `logged`), with their declared type, by object and name. */
export async function readRecorded(db: Database, schema: string): Promise<Omit<Series, 'id'>[]> {
  const { rows } = await db.query<{ object: string; property: string; primitive_type: string | null }>(
    `select object, property, primitive_type from ${quoteTable(schema, 'object_properties')}
     where deleted_at is null and (persisted or logged) order by object, property`,
  );
  return rows.map((row) => ({
    object: row.object,
    property: row.property,
    primitiveType: row.primitive_type,
  }));
}

/** The declared type of the named properties that the platform lists, recorded or not. */
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
