import { escapeLiteral } from 'pg';
import { quoteName } from '../../postgres/names.ts';
import type { BiNames, BiView } from '../bi-view.ts';

/** Returns the SQL of all versions of the row `o` of a table, with these columns. */
function versionsSql(
  { data, ledger }: BiNames,
  { table, key, columns }: { table: string; key: readonly string[]; columns: readonly string[] },
): string {
  const names = columns.map(quoteName).join(', ');
  const before = columns
    .map((column) => `c.before ->> ${escapeLiteral(column)} as ${quoteName(column)}`)
    .join(', ');
  const members = key.map((column) => `${escapeLiteral(column)}, o.${quoteName(column)}`).join(', ');
  const own = `from ${ledger}.changes as c where c.table_name = ${escapeLiteral(table)}
        and md5(c.key::text) = md5(jsonb_build_object(${members})::text)`;
  return `${data}.${quoteName(table)} as o
    cross join lateral (
      select coalesce(lag(c.at) over (order by c.id), o.first_seen_at) as from_at, c.at as to_at,
        (c.before ->> 'deleted_at') is null as existed, ${before} ${own}
      union all
      select coalesce((select max(c.at) ${own}), o.first_seen_at), null, o.deleted_at is null, ${names}) as v`;
}

const versionColumns = [
  { name: 'from_at', type: 'timestamptz', about: 'When it was found to be so.' },
  {
    name: 'to_at',
    type: 'timestamptz',
    about: 'When it was found to be otherwise; null for what is true now.',
  },
  {
    name: 'existed',
    type: 'boolean',
    about: 'Whether the platform had it then; false after it was deleted.',
  },
] as const;

const objectVersions: BiView = {
  name: 'object_versions',
  about:
    'What was true of each object, and when: one row for each time between two changes. It reaches back as far as limits.keepChanges; what was before the oldest kept change stands in the first row.',
  columns: [
    { name: 'object', type: 'text', about: 'Alias of the object.' },
    { name: 'object_name', type: 'text', about: 'Name of the object as people read it, else its alias.' },
    { name: 'template_name', type: 'text', about: 'Alias of the template of the object.' },
    ...versionColumns,
  ],
  sql: (names) => `
    select o.name as object, coalesce(nullif(v.show_name, ''), o.name) as object_name, v.template_name,
      v.from_at, v.to_at, v.existed
    from ${versionsSql(names, { table: 'objects', key: ['name'], columns: ['show_name', 'template_name'] })}
    where v.to_at is null or v.from_at < v.to_at`,
};

const placeVersions: BiView = {
  name: 'place_versions',
  about:
    'Where each object was in the networks, and when: one row for each place and each time between two changes.',
  columns: [
    { name: 'object', type: 'text', about: 'Alias of the object.' },
    { name: 'network', type: 'text', about: 'Alias of the network.' },
    {
      name: 'path',
      type: 'text',
      about: 'Names from the top of the network down to the object, joined by slashes.',
    },
    { name: 'parent', type: 'text', about: 'Alias of the object above; null at the top.' },
    ...versionColumns,
  ],
  sql: (names) => `
    select o.name as object, o.network, o.path, v.parent, v.from_at, v.to_at, v.existed
    from ${versionsSql(names, { table: 'network_nodes', key: ['network', 'path'], columns: ['parent'] })}
    where v.to_at is null or v.from_at < v.to_at`,
};

const objectsAt: BiView = {
  name: 'objects_at',
  takes: 'at timestamptz',
  about: 'The objects as they were known at an instant: one row for each object that was ever known.',
  columns: [
    { name: 'object', type: 'text', about: 'Alias of the object.' },
    {
      name: 'object_name',
      type: 'text',
      about: 'Name of the object then, else its alias; null if the object was not known yet.',
    },
    {
      name: 'template_name',
      type: 'text',
      about: 'Alias of its template then; null if the object was not known yet.',
    },
    {
      name: 'parent',
      type: 'text[]',
      about: 'Aliases of the objects above it in the networks then, each once; null if there were none.',
    },
    {
      name: 'existed',
      type: 'boolean',
      about:
        'Whether the platform had the object; false if it was deleted or not made yet; null if it was not known.',
    },
  ],
  sql: ({ bi, data }) => `
    select o.name as object, v.object_name, v.template_name, p.parent,
      case when v.object is not null then v.existed when o.created_at > $1 then false end as existed
    from ${data}.objects as o
    left join ${bi}.object_versions as v on v.object = o.name and v.from_at <= $1 and (v.to_at is null or v.to_at > $1)
    left join (
      select p.object, array_agg(distinct p.parent order by p.parent) as parent
      from ${bi}.place_versions as p
      where (p.to_at is null or p.to_at > $1) and p.from_at <= $1 and p.existed and p.parent is not null
      group by p.object) as p on p.object = o.name`,
};

export const versionViews: readonly BiView[] = [objectVersions, placeVersions, objectsAt];
