import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { hasRelation } from '../../postgres/schema-change.ts';

/** How people know an object. Both are null if the platform does not tell. */
export interface ObjectName {
  readonly showName: string | null;
  /** Alias of the template of the object. */
  readonly template: string | null;
}

/**
 * Reads the show names and templates of all objects, by alias. The map is empty while the table does not
 * exist. Only details of objects tell templates, so the column may be missing.
 */
export async function readObjectNames(db: Database, schema: string): Promise<Map<string, ObjectName>> {
  const table = quoteTable(schema, 'objects');
  if (!(await hasRelation(db, table))) return new Map();
  const { rows } = await db.query<{ name: string; show_name: string | null; template: string | null }>(
    `select name, show_name, to_jsonb(o) ->> 'template_name' as template from ${table} as o`,
  );
  return new Map(rows.map(({ name, show_name, template }) => [name, { showName: show_name, template }]));
}
