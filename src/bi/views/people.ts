import type { BiView } from '../bi-view.ts';
import { orgNodesSql } from './trees.ts';

/**
 * The platform tells who belongs where in three lists of nodes, persons and details, each of which may be
 * switched off. The list of a tree holds the persons of its nodes too, so only the rest belongs to its root.
 */
const personDepartments: BiView = {
  name: 'person_departments',
  about:
    'Persons with the nodes of the organizations to which they belong, one row for each pair. A person who belongs to a tree and to none of its nodes is at its root.',
  columns: [
    { name: 'person', type: 'text', about: 'Alias of the person.' },
    { name: 'person_name', type: 'text', about: 'Name of the person as people read it, else the alias.' },
    { name: 'username', type: 'text', about: 'User account of the person; null without an account.' },
    { name: 'has_account', type: 'boolean', about: 'Whether the person has a user account.' },
    { name: 'org', type: 'text', about: 'Alias of the organization tree.' },
    { name: 'node', type: 'text', about: 'Alias of the node; that of the tree for its root.' },
    { name: 'node_name', type: 'text', about: 'Name of the node as people read it, else its alias.' },
    {
      name: 'path',
      type: 'text',
      about: 'Aliases from the tree down to the node, joined by /; null if the node is not known.',
    },
  ],
  sql: (names) => `
    with at_nodes as (
      select person, org, node from ${names.data}.org_node_persons where deleted_at is null
      union
      select person, org, node from ${names.data}.person_organizations
        where deleted_at is null and org is not null and node is not null
      union
      select person, org, node from ${names.data}.org_node_person_codes where deleted_at is null),
    at_trees as (
      select person, org from ${names.data}.org_persons where deleted_at is null
      union
      select person, org from ${names.data}.org_tree_persons where deleted_at is null),
    places as (
      select * from at_nodes
      union all
      select t.person, t.org, t.org from at_trees as t
        where not exists (select from at_nodes as n where n.person = t.person and n.org = t.org)),
    accounts as (
      select person, min(username) as username from ${names.data}.users
      where deleted_at is null and person is not null group by person)
    select p.person, coalesce(nullif(w.show_name, ''), p.person) as person_name,
      coalesce(w.username, u.username) as username, coalesce(w.username, u.username) is not null as has_account,
      p.org, p.node, coalesce(n.node_name, p.node) as node_name, n.path
    from places as p
    left join ${names.data}.persons as w on w.name = p.person
    left join accounts as u on u.person = p.person
    left join (${orgNodesSql(names)}) as n on n.org = p.org and n.node = p.node
    where w.deleted_at is null`,
};

export const peopleViews: readonly BiView[] = [personDepartments];
