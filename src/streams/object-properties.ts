import { defineStream } from './define.ts';
import { objects } from './objects.ts';

/** Properties of the objects: what can have a current value and a history (specification: Property). */
export const objectProperties = defineStream({
  name: 'object_properties',
  about: 'Properties of the objects, one row for each property of each object.',
  operation: 'listObjectProperties',
  parent: { stream: objects, path: { objName: 'name' } },
  key: ['object', 'property'],
  columns: [
    {
      name: 'object',
      type: 'text',
      source: 'parent.name',
      meaning: 'Alias of the object that has the property.',
    },
    {
      name: 'property',
      type: 'text',
      source: 'name',
      meaning: 'Alias of the property, unique within its object.',
    },
    {
      name: 'show_name',
      type: 'text',
      source: 'showName',
      meaning: 'Name of the property as people read it.',
    },
    { name: 'description', type: 'text', source: 'description', meaning: 'Free description.' },
    { name: 'code', type: 'text', source: 'code', meaning: 'Code of the property.' },
    {
      name: 'primitive_type',
      type: 'text',
      source: 'primitiveType',
      meaning: 'Declared data type of the values.',
    },
    {
      name: 'struct_type',
      type: 'integer',
      source: 'structType',
      meaning: '0 for a basic type, 1 for a list.',
    },
    {
      name: 'persisted',
      type: 'boolean',
      source: 'persisted',
      meaning: 'Whether the platform persists the values.',
    },
    { name: 'logged', type: 'boolean', source: 'logged', meaning: 'Whether the platform logs the values.' },
    { name: 'readonly', type: 'boolean', source: 'readonly', meaning: 'Whether the value can only be read.' },
    {
      name: 'override',
      type: 'boolean',
      source: 'override',
      meaning: 'Whether the object overrides its template here.',
    },
    {
      name: 'range',
      type: 'text',
      source: 'range',
      meaning: 'Range of the values, as the platform states it.',
    },
    {
      name: 'default_value',
      type: 'jsonb',
      source: 'defaultValue',
      meaning: 'Default value, wrapped by the platform as {"value": …}.',
    },
    {
      name: 'model_labels',
      type: 'jsonb',
      source: 'modelLabels',
      meaning: 'Labels that classify the property, a list of texts.',
    },
    {
      name: 'binding_source',
      type: 'text',
      source: 'bindingInfo.source',
      meaning: 'Full path of the remote object property that this one is bound to.',
    },
    {
      name: 'binding_target',
      type: 'text',
      source: 'bindingInfo.target',
      meaning: 'Name of the property that is bound.',
    },
    {
      name: 'common_type_values',
      type: 'jsonb',
      source: 'commonTypeValues',
      meaning: 'Fields of a structured type, as the platform states them.',
    },
  ],
});
