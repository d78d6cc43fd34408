import type { BiNames, BiView } from '../bi-view.ts';

/**
 * Returns the path of the node `level` names below the first one of `path`. A name holds no slash in a path,
 * so a path can be cut at its slashes.
 */
function ancestorPath(path: string, level: string): string {
  return `array_to_string((string_to_array(${path}, '/'))[1:${level}], '/')`;
}

/** Returns the query for all nodes of the organizations. The root of a tree has the name of the tree. */
export function orgNodesSql({ data }: BiNames): string {
  return `
    select name as org, name as node, coalesce(nullif(show_name, ''), name) as node_name,
      replace(replace(name, '~', '~0'), '/', '~1') as path, 0 as depth
    from ${data}.org_trees where deleted_at is null
    union all
    select n.org, n.name, coalesce(nullif(n.show_name, ''), n.name), n.path, n.depth
    from ${data}.org_nodes as n where n.deleted_at is null and n.path is not null and n.name <> n.org`;
}

const orgClosure: BiView = {
  name: 'org_closure',
  about:
    'Nodes of the organizations with each node above them: one row for each pair, also of each node with itself. The root of a tree is a node with the name of the tree.',
  columns: [
    { name: 'org', type: 'text', about: 'Alias of the organization tree.' },
    { name: 'ancestor', type: 'text', about: 'Alias of the node above, or of the node itself.' },
    {
      name: 'ancestor_name',
      type: 'text',
      about: 'Name of the node above as people read it, else its alias.',
    },
    { name: 'ancestor_path', type: 'text', about: 'Path of the node above.' },
    { name: 'node', type: 'text', about: 'Alias of the node.' },
    { name: 'node_name', type: 'text', about: 'Name of the node as people read it, else its alias.' },
    { name: 'path', type: 'text', about: 'Aliases from the tree down to the node, joined by /.' },
    { name: 'distance', type: 'integer', about: 'Levels between both: 0 for the node itself.' },
  ],
  sql: (names) => `
    with nodes as (${orgNodesSql(names)})
    select n.org, a.node as ancestor, a.node_name as ancestor_name, a.path as ancestor_path,
      n.node, n.node_name, n.path, n.depth - a.depth as distance
    from nodes as n cross join lateral generate_series(0, n.depth) as level
    join nodes as a on a.org = n.org and a.path = ${ancestorPath('n.path', 'level + 1')}`,
};

const objectTree: BiView = {
  name: 'object_tree',
  about:
    'Objects of the networks with each object above them: one row for each pair of places, also of each place with itself.',
  columns: [
    { name: 'network', type: 'text', about: 'Alias of the network.' },
    { name: 'ancestor_path', type: 'text', about: 'Path of the place above, or of the place itself.' },
    { name: 'ancestor', type: 'text', about: 'Alias of the object above, or of the object itself.' },
    {
      name: 'ancestor_name',
      type: 'text',
      about: 'Name of the object above as people read it, else its alias.',
    },
    { name: 'path', type: 'text', about: 'Aliases from the top down to the object, joined by /.' },
    { name: 'object', type: 'text', about: 'Alias of the object.' },
    { name: 'object_name', type: 'text', about: 'Name of the object as people read it, else its alias.' },
    { name: 'template_name', type: 'text', about: 'Alias of the template of the object.' },
    { name: 'distance', type: 'integer', about: 'Levels between both: 0 for the object itself.' },
    { name: 'depth', type: 'integer', about: 'Level of the object in the network; 1 at the top.' },
  ],
  sql: ({ data }) => `
    with places as (
      select n.network, n.path, n.name, n.depth, coalesce(o.template_name, n.template_name) as template_name,
        coalesce(nullif(o.show_name, ''), nullif(n.show_name, ''), n.name) as show_name
      from ${data}.network_nodes as n left join ${data}.objects as o on o.name = n.name
      where n.deleted_at is null)
    select p.network, a.path as ancestor_path, a.name as ancestor, a.show_name as ancestor_name,
      p.path, p.name as object, p.show_name as object_name, p.template_name, p.depth - a.depth as distance, p.depth
    from places as p cross join lateral generate_series(1, p.depth) as level
    join places as a on a.network = p.network and a.path = ${ancestorPath('p.path', 'level')}`,
};

export const treeViews: readonly BiView[] = [orgClosure, objectTree];
