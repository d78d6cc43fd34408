import { text } from './columns.ts';
import type { Column } from './define.ts';

/** Columns with the organization node that the rows of a part, or of a list, belong to. */
export const ownerNode: readonly Column[] = [
  text('org', {
    source: 'parent.org',
    meaning: 'Alias of the tree.',
    example: 'plant',
    references: 'org_nodes.org',
  }),
  text('node', {
    source: 'parent.name',
    meaning: 'Alias of the node.',
    example: 'assembly',
    references: 'org_nodes.name',
  }),
];

/** Column with the organization tree that the rows of a part, or of a list, belong to. */
export const ownerTree: Column = text('org', {
  source: 'parent.name',
  meaning: 'Alias of the tree.',
  example: 'plant',
  references: 'org_trees.name',
});

/** Column with the object that the rows of a part belong to. */
export const ownerObject: Column = text('object', {
  source: 'parent.name',
  meaning: 'Alias of the object.',
  example: 'pump1',
  references: 'objects.name',
});

/**
 * Makes the columns with the property that the rows of a part belong to. The example is a property that has
 * such rows.
 */
export function ownerProperty(example: string): readonly Column[] {
  return [
    text('object', {
      source: 'parent.object',
      meaning: 'Alias of the object.',
      example: 'pump1',
      references: 'object_properties.object',
    }),
    text('property', {
      source: 'parent.property',
      meaning: 'Alias of the property.',
      example,
      references: 'object_properties.property',
    }),
  ];
}
