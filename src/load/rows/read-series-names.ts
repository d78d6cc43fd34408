import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { asStoreError } from '../../postgres/postgres-errors.ts';
import { hasRelation } from '../../postgres/schema-change.ts';

/** The names of a property and of its object, as the platform lists them. */
export interface SeriesNames {
  readonly object: string;
  readonly objectShowName: string | null;
  readonly template: string | null;
  readonly property: string;
  readonly propertyShowName: string | null;
  readonly primitiveType: string | null;
}

/** The number of rows fetched at once. */
const FETCH_ROWS = 10_000;

/**
 * Reads the names of all properties that the platform lists, ordered by object and property, in parts. There
 * are none while their table does not exist.
 */
export async function* readSeriesNames(db: Database, schema: string): AsyncGenerator<SeriesNames[]> {
  const [objects, properties] = [quoteTable(schema, 'objects'), quoteTable(schema, 'object_properties')];
  if (!(await hasRelation(db, properties))) return;
  const hasObjects = await hasRelation(db, objects);
  const hasTemplates = hasObjects && (await hasColumn(db, objects, 'template_name'));
  const client = await db.connect();
  let usable = false;
  try {
    await client.query('begin read only');
    const names = selectNames({ objects, properties, hasObjects, hasTemplates });
    await client.query(`declare names no scroll cursor for ${names}`);
    for (;;) {
      const { rows } = await client.query<SeriesNames>(`fetch forward ${FETCH_ROWS} from names`);
      if (rows.length === 0) break;
      yield rows;
    }
    await client.query('commit');
    usable = true;
  } catch (error) {
    throw asStoreError(error, 'reading the names of the properties');
  } finally {
    client.release(!usable);
  }
}

/** Builds the query. Tables and columns that no sync has made yet are left out. */
function selectNames(known: {
  readonly objects: string;
  readonly properties: string;
  readonly hasObjects: boolean;
  readonly hasTemplates: boolean;
}): string {
  const { objects, properties, hasObjects, hasTemplates } = known;
  const columns = [
    'p.object',
    `${hasObjects ? 'o.show_name' : 'null'} as "objectShowName"`,
    `${hasTemplates ? 'o.template_name' : 'null'} as template`,
    'p.property',
    'p.show_name as "propertyShowName"',
    'p.primitive_type as "primitiveType"',
  ];
  const join = hasObjects ? `left join ${objects} as o on o.name = p.object` : '';
  return `select ${columns.join(', ')} from ${properties} as p ${join} where p.deleted_at is null order by p.object, p.property`;
}

async function hasColumn(db: Database, table: string, column: string): Promise<boolean> {
  const { rows } = await db.query(
    `select true from pg_attribute where attrelid = to_regclass($1) and attname = $2 and not attisdropped`,
    [table, column],
  );
  return rows.length > 0;
}
