import { position, text } from './columns.ts';
import { defineStream } from './define.ts';
import { listOf, membersOf } from './entries.ts';
import { orgNodes } from './org-nodes.ts';
import { readNodeEntries } from './org-paths.ts';
import { findPeople, personColumns } from './org-people.ts';
import { ownerNode } from './owner-columns.ts';

/**
 * Associated nodes and persons of each organization node (specification: OrganizationNodeResultDetailInfo).
 */
export const orgNodeDetails = defineStream({
  name: 'org_node_details',
  about: 'Associated nodes and persons of each organization node.',
  operation: 'getOrgNode',
  parent: { stream: orgNodes, path: { orgName: 'org', nodeName: 'name' } },
  updates: true,
  key: ['org', 'name'],
  ignore: membersOf(orgNodes),
  columns: [
    text('org', {
      source: 'parent.org',
      meaning: 'Alias of the tree that the node belongs to.',
      example: 'plant',
    }),
    text('name', {
      source: 'parent.name',
      meaning: 'Alias of the node, unique within its tree.',
      example: 'assembly',
    }),
    text('root', {
      source: 'root',
      meaning: 'Alias of the root node, as the platform states it; the tree has the same alias.',
      example: 'plant',
      references: 'org_trees.name',
    }),
  ],
  parts: [
    {
      name: 'org_node_links',
      about:
        'Organization nodes that a node is associated with, one row for each, in the order of the platform.',
      key: ['org', 'node', 'position'],
      from: 'nodes',
      open: true,
      namesNodes: true,
      entries: (record, findNode) => readNodeEntries('nodes')(record, findNode) ?? [],
      columns: [
        ...ownerNode,
        position('associated nodes'),
        text('linked_org', {
          source: 'orgName',
          meaning:
            'Alias of the tree of the associated node. If only a path was sent, the tree of the node with this path, else null.',
          example: 'plant',
          references: 'org_nodes.org',
        }),
        text('linked_node', {
          source: 'nodeName',
          meaning:
            'Alias of the associated node. If only a path was sent, the node with this path, else null.',
          example: 'quality',
          references: 'org_nodes.name',
        }),
        text('linked_path', {
          source: 'orgPath',
          meaning: 'Names of the nodes from the root down, with slashes, as the platform writes them.',
          example: 'plant/quality',
        }),
      ],
    },
    {
      name: 'org_node_person_codes',
      about:
        'Persons that the platform shows with an organization node, one row for each person of each node.',
      key: ['org', 'node', 'person'],
      from: 'persons',
      open: true,
      entries: findPeople((record) => listOf(record.persons)),
      columns: [...ownerNode, ...personColumns],
    },
  ],
});
