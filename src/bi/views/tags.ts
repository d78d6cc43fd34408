import { type BiView, tagColumns } from '../bi-view.ts';

/**
 * The series with all that names them. Each join is by a key, and labels are looked up by row. So a query
 * pays only for the columns that it selects.
 */
const tags: BiView = {
  name: 'tags',
  about: 'The series: one row for each property of an object that is read, or was read once.',
  columns: [
    ...tagColumns,
    { name: 'primitive_type', type: 'text', about: 'Declared data type of the values.' },
    { name: 'low', type: 'double precision', about: 'Values below are too low, from property_notes.' },
    { name: 'high', type: 'double precision', about: 'Values above are too high, from property_notes.' },
    { name: 'target', type: 'double precision', about: 'Value that is aimed at, from property_notes.' },
    { name: 'comment', type: 'text', about: 'Free text, from property_notes.' },
    {
      name: 'object_labels',
      type: 'text[]',
      about: 'Labels of the object, in the order of the platform; null if it has none.',
    },
    {
      name: 'property_labels',
      type: 'text[]',
      about: 'Labels of the property, in the order of the platform; null if it has none.',
    },
    { name: 'live', type: 'boolean', about: 'Whether the platform still has the object and the property.' },
    { name: 'first_seen_at', type: 'timestamptz', about: 'When the series was first registered here.' },
    {
      name: 'vanished_at',
      type: 'timestamptz',
      about: 'When the object or the property was found to be gone; null while the platform has both.',
    },
  ],
  sql: ({ data }) => `
    select s.series_id, s.object, coalesce(nullif(o.show_name, ''), s.object) as object_name, o.template_name,
      s.property,
      coalesce(n.display_name, every.display_name, nullif(p.show_name, ''), s.property) as property_name,
      coalesce(n.unit, every.unit) as unit,
      coalesce(s.primitive_type, p.primitive_type) as primitive_type,
      coalesce(n.low, every.low) as low,
      coalesce(n.high, every.high) as high,
      coalesce(n.target, every.target) as target,
      coalesce(n.comment, every.comment) as comment,
      (select array_agg(l.label order by l.position) from ${data}.object_labels as l
        where l.object = s.object and l.deleted_at is null) as object_labels,
      (select array_agg(l.label order by l.position) from ${data}.property_labels as l
        where l.object = s.object and l.property = s.property and l.deleted_at is null) as property_labels,
      s.vanished_at is null and o.deleted_at is null and p.deleted_at is null as live,
      s.first_seen_at,
      least(s.vanished_at, o.deleted_at, p.deleted_at) as vanished_at
    from ${data}.series as s
    left join ${data}.objects as o on o.name = s.object
    left join ${data}.object_properties as p on p.object = s.object and p.property = s.property
    left join ${data}.property_notes as n on n.object = s.object and n.property = s.property
    left join ${data}.property_notes as every on every.object = '*' and every.property = s.property`,
};

export const tagViews: readonly BiView[] = [tags];
