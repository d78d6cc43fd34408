import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Series } from '../../series/types.ts';

/** A property that the platform lists. */
export interface ListedProperty extends Omit<Series, 'id'> {
  /** Whether the platform keeps the values of the property: it is `persisted` or `logged`. */
  readonly recorded: boolean;
}

/** Reads the properties that the platform lists, with their declared type, ordered by object and name. */
export async function readProperties(db: Database, schema: string): Promise<ListedProperty[]> {
  const { rows } = await db.query<{
    object: string;
    property: string;
    primitive_type: string | null;
    recorded: boolean;
  }>(
    `select object, property, primitive_type, coalesce(persisted, false) or coalesce(logged, false) as recorded
     from ${quoteTable(schema, 'object_properties')}
     where deleted_at is null order by object, property`,
  );
  return rows.map(({ object, property, primitive_type, recorded }) => ({
    object,
    property,
    primitiveType: primitive_type,
    recorded,
  }));
}

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
