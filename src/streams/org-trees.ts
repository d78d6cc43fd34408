import { description, label, position, showName, text } from './columns.ts';
import { defineStream } from './define.ts';
import { readValues } from './entries.ts';
import { ownerTree } from './owner-columns.ts';

/** Organization trees (specification: OrganizationTreeQueryInfo). */
export const orgTrees = defineStream({
  name: 'org_trees',
  about: 'Organization trees of the platform, one row each.',
  operation: 'listOrgs',
  filters: {
    keyword: { kind: 'text', meaning: 'Only trees with this text in name, show name or description.' },
    modelLabel: { kind: 'text', meaning: 'Only trees with this label.' },
  },
  filled: true,
  key: ['name'],
  columns: [
    text('name', {
      source: 'name',
      meaning: 'Alias of the tree, unique on the platform; its root node has the same name.',
      example: 'plant',
    }),
    showName('tree', 'Plant Hangzhou'),
    description('tree', 'Production and maintenance'),
    text('code', {
      source: 'code',
      meaning: 'Code of the tree; the platform gives codes to nodes below the root, so it is mostly null.',
      example: 'C01',
    }),
  ],
  parts: [
    {
      name: 'org_tree_labels',
      about: 'Labels of the organization trees, one row each.',
      key: ['org', 'position'],
      from: 'modelLabels',
      entries: readValues('modelLabels'),
      columns: [ownerTree, position('labels of the tree'), label('tree')],
    },
  ],
});
