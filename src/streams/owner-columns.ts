import { text } from './columns.ts';
import type { Column } from './define.ts';

/** The organization node that the rows of a part, or of a list, belong to. */
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

/** The organization tree that they belong to. */
export const ownerTree: Column = text('org', {
  source: 'parent.name',
  meaning: 'Alias of the tree.',
  example: 'plant',
  references: 'org_trees.name',
});

/** The object that they belong to. */
export const ownerObject: Column = text('object', {
  source: 'parent.name',
  meaning: 'Alias of the object.',
  example: 'pump1',
  references: 'objects.name',
});

/** The property that they belong to; the example is of a property that has such rows. */
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
