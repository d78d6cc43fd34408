import { description, integer, label, number, position, showName, text } from './columns.ts';
import { defineStream } from './define.ts';
import { readValues } from './entries.ts';
import { orgTrees } from './org-trees.ts';
import { ownerNode } from './owner-columns.ts';

/** Nodes of the organization trees (specification: OrganizationNodeDetailInfo). */
export const orgNodes = defineStream({
  name: 'org_nodes',
  about: 'Nodes of the organization trees (departments, teams, …), one row each.',
  operation: 'listOrgNodes',
  parent: { stream: orgTrees, path: { orgName: 'name' } },
  filters: {
    keyword: { kind: 'text', meaning: 'Only nodes with this text in name, show name or description.' },
  },
  filled: true,
  key: ['org', 'name'],
  columns: [
    text('org', {
      source: 'parent.name',
      meaning: 'Alias of the tree that the node belongs to.',
      example: 'plant',
      references: 'org_trees.name',
    }),
    text('name', {
      source: 'name',
      meaning: 'Alias of the node, unique within its tree.',
      example: 'assembly',
    }),
    text('parent', {
      source: 'parent',
      meaning: 'Alias of the node above; for the uppermost nodes the alias of the tree.',
      example: 'production',
      references: 'org_nodes.name',
    }),
    text('code', { source: 'code', meaning: 'Code of the node.', example: 'C01-3' }),
    number('sequence_number', {
      source: 'sequenceNumber',
      meaning: 'Order in which nodes below one parent are shown.',
      example: '3',
    }),
    showName('node', 'Assembly'),
    description('node', 'Final assembly of pumps'),
  ],
  tree: {
    root: 'org',
    name: 'name',
    parent: 'parent',
    path: text('path', {
      source: '#path',
      meaning:
        'Names from the tree down to the node, joined by /; ~ and / inside a name are written ~0 and ~1.',
      example: 'plant/production/assembly',
    }),
    depth: integer('depth', {
      source: '#depth',
      meaning: 'Level of the node; 1 right below the root.',
      example: '2',
    }),
  },
  parts: [
    {
      name: 'org_node_labels',
      about: 'Labels of the organization nodes, one row each.',
      key: ['org', 'node', 'position'],
      from: 'modelLabels',
      entries: readValues('modelLabels'),
      columns: [...ownerNode, position('labels of the node'), label('node')],
    },
  ],
});
