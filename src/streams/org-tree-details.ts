import { text } from './columns.ts';
import { defineStream } from './define.ts';
import { listOf, membersOf } from './entries.ts';
import { findPeople, personColumns } from './org-people.ts';
import { orgTrees } from './org-trees.ts';
import { ownerTree } from './owner-columns.ts';

/**
 * Persons and leaders of each organization tree (specification: OrganizationTreeInfo,
 * OrganizationTreeAddInfo).
 */
export const orgTreeDetails = defineStream({
  name: 'org_tree_details',
  about: 'Persons and leaders of each organization tree.',
  operation: 'getOrg',
  parent: { stream: orgTrees, path: { orgName: 'name' } },
  updates: true,
  key: ['name'],
  ignore: membersOf(orgTrees),
  columns: [
    text('name', {
      source: 'parent.name',
      meaning: 'Alias of the tree, unique on the platform.',
      example: 'plant',
    }),
  ],
  parts: [
    {
      name: 'org_tree_persons',
      about:
        'Persons that the platform shows with an organization tree, one row for each person of each tree.',
      key: ['org', 'person'],
      from: 'persons',
      open: true,
      entries: findPeople((record) => listOf(record.persons)),
      columns: [ownerTree, ...personColumns],
    },
    {
      name: 'org_tree_leaders',
      about: 'Leaders of the organization trees, if the platform tells them, one row each.',
      key: ['org', 'person'],
      from: 'leader',
      open: true,
      optional: true,
      entries: findPeople((record) => (record.leader === undefined ? undefined : listOf(record.leader))),
      columns: [ownerTree, ...personColumns],
    },
  ],
});
