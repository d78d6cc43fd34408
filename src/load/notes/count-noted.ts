import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { hasRelation } from '../../postgres/schema-change.ts';
import { ANY_OBJECT, type NoteKey } from './note.ts';

/**
 * Counts for each key the properties that the note is about: those that the platform lists, and series that
 * were read. Resolves to undefined while no property is known.
 */
export async function countNoted(
  db: Queryable,
  schema: string,
  keys: readonly NoteKey[],
): Promise<number[] | undefined> {
  const properties = quoteTable(schema, 'object_properties');
  const listed = (await hasRelation(db, properties))
    ? `select object, property from ${properties} where deleted_at is null union`
    : '';
  const { rows } = await db.query(
    `with known as materialized (${listed} select object, property from ${quoteTable(schema, 'series')}),
     by_property as (select property, count(*) as objects from known group by property)
     select coalesce(b.objects, case when k.object is null then 0 else 1 end)::int as properties
       from unnest($1::text[], $2::text[]) with ordinality as asked (object, property, place)
       left join known as k on k.object = asked.object and k.property = asked.property
       left join by_property as b on asked.object = '${ANY_OBJECT}' and b.property = asked.property
      where exists (select from known)
      order by place`,
    [keys.map(({ object }) => object), keys.map(({ property }) => property)],
  );
  if (rows.length < keys.length) return undefined;
  return rows.map(({ properties: count }) => Number(count));
}
